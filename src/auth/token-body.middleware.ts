import { Injectable, type NestMiddleware } from '@nestjs/common';
import { type NextFunction, raw, type Request, type Response } from 'express';
import { invalidRequest } from './token-error.js';

/** Far more than any code and key take. */
const LIMIT = '16kb';

/** Reads the body of a token request, whatever its type says, and forbids every cache to keep the answer. */
@Injectable()
export class TokenBodyMiddleware implements NestMiddleware {
  private readonly read = raw({ type: () => true, limit: LIMIT });

  use(request: Request, response: Response, next: NextFunction): void {
    response.set({ 'Cache-Control': 'no-store', Pragma: 'no-cache' });
    this.read(request, response, (error?: unknown) => {
      const status = (error as { status?: number } | undefined)?.status ?? 400;
      next(error ? invalidRequest(`The body cannot be read: send a form of at most ${LIMIT}.`, status) : undefined);
    });
  }
}
