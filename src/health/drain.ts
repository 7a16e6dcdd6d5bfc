import { Injectable, type NestMiddleware } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';

/**
 * The time between the word that the service ends and its end. Requests are answered as ever, since whoever sends them
 * has not heard of it; each answer tells its client to send the next one elsewhere.
 */
@Injectable()
export class Drain implements NestMiddleware {
  private begun = false;

  begin(): void {
    this.begun = true;
  }

  /** @throws once it has begun */
  async assertNotBegun(): Promise<void> {
    if (this.begun) throw new Error('The service is shutting down');
  }

  use(_request: Request, response: Response, next: NextFunction): void {
    if (this.begun) response.setHeader('Connection', 'close');
    next();
  }
}
