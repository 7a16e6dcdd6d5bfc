import { Injectable, type NestMiddleware } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { abortConnection } from '../http/abort.js';

/** How long a connection may be idle after a response that could not announce its closing, in milliseconds. */
const IDLE_MS = 1000;

/**
 * The time from the shutdown signal to the end of the service. The service still serves requests, because load
 * balancers have not noticed the shutdown yet. Each response of known length announces that its connection closes. A
 * chunked response must not announce this (`http/chunked.ts`), so its connection closes after being idle for {@link
 * IDLE_MS}. Closing it at once would be too early, because the client may be sending its next request.
 */
@Injectable()
export class Drain implements NestMiddleware {
  private draining = false;
  private finishing = false;
  /** The number of unfinished responses on each connection. */
  private readonly connections = new Map<Socket, number>();

  begin(): void {
    this.draining = true;
  }

  /**
   * Closes each connection as soon as the last response on it has ended. When its server closes, Node itself closes
   * only the connections that are idle at that moment.
   */
  closeWhenIdle(): void {
    this.finishing = true;
  }

  /** Aborts every unfinished response. Other connections stay, because they may still transmit a complete response. */
  abortAll(): void {
    for (const [socket, unfinished] of this.connections) if (unfinished) abortConnection(socket, 'shutdown');
  }

  /** Resolves when every connection has closed and every listener has been called. */
  async closed(): Promise<void> {
    await Promise.allSettled([...this.connections.keys()].map((socket) => once(socket, 'close')));
  }

  /** @throws once the drain has begun */
  async assertNotDraining(): Promise<void> {
    if (this.draining) throw new Error('The service is shutting down');
  }

  use({ socket }: Request, response: Response, next: NextFunction): void {
    const unfinished = this.connections.get(socket);
    if (unfinished === undefined) socket.once('close', () => this.connections.delete(socket));
    this.connections.set(socket, (unfinished ?? 0) + 1);
    response.once('close', () => this.responseEnded(socket));
    if (this.draining) response.setHeader('Connection', 'close');
    next();
  }

  private responseEnded(socket: Socket): void {
    const unfinished = this.connections.get(socket);
    // The connection has already closed.
    if (unfinished === undefined) return;
    this.connections.set(socket, unfinished - 1);
    if (unfinished > 1) return;
    if (this.finishing) socket.destroySoon();
    // This sets Node's idle timeout, which the next request clears.
    else if (this.draining) socket.setTimeout(IDLE_MS);
  }
}
