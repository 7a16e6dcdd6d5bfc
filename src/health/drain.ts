import { Injectable, type NestMiddleware } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { cutConnection } from '../http/cut.js';

/**
 * The time between the word that the service ends and its end. Requests are answered as ever, since whoever sends them
 * has not heard of it; each answer tells its client to send the next one elsewhere.
 */
@Injectable()
export class Drain implements NestMiddleware {
  private begun = false;
  private readonly connections = new Set<Socket>();

  begin(): void {
    this.begun = true;
  }

  /** Cuts whatever is still under way. */
  end(): void {
    for (const socket of this.connections) cutConnection(socket, 'shutdown');
  }

  /** Resolves when every connection has closed, and all who listen to that have heard. */
  async closed(): Promise<void> {
    await Promise.allSettled([...this.connections].map((socket) => once(socket, 'close')));
  }

  /** @throws once it has begun */
  async assertNotBegun(): Promise<void> {
    if (this.begun) throw new Error('The service is shutting down');
  }

  use({ socket }: Request, response: Response, next: NextFunction): void {
    if (!this.connections.has(socket)) {
      this.connections.add(socket);
      socket.once('close', () => this.connections.delete(socket));
    }
    if (this.begun) response.setHeader('Connection', 'close');
    next();
  }
}
