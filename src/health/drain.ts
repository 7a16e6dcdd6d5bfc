import { Injectable, type NestMiddleware } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { abortConnection } from '../http/abort.js';

/** How long a connection may be idle after a response that could not announce its end, in milliseconds. */
const IDLE_MS = 1000;

/**
 * The time from the signal to the end of the service. It still serves requests, because load balancers have not noticed
 * yet. Each response of known length announces that its connection closes. A response in chunks must not
 * (`http/chunked.ts`), so its connection closes when it has been idle for a moment. At once would be too early: the
 * client may be sending its next request.
 */
@Injectable()
export class Drain implements NestMiddleware {
  private begun = false;
  private finishing = false;
  /** How many responses have not ended yet on each connection. */
  private readonly connections = new Map<Socket, number>();

  begin(): void {
    this.begun = true;
  }

  /**
   * Closes each connection as soon as the last response on it has ended. Node closes the connections that are idle when
   * its server closes, and no others.
   */
  closeWhenIdle(): void {
    this.finishing = true;
  }

  /** Aborts every response that has not ended. Other connections may still transmit a complete response, so they stay. */
  abortAll(): void {
    for (const [socket, underWay] of this.connections) if (underWay) abortConnection(socket, 'shutdown');
  }

  /** Resolves when every connection has closed and every listener has been called. */
  async closed(): Promise<void> {
    await Promise.allSettled([...this.connections.keys()].map((socket) => once(socket, 'close')));
  }

  /** @throws once it has begun */
  async assertNotBegun(): Promise<void> {
    if (this.begun) throw new Error('The service is shutting down');
  }

  use({ socket }: Request, response: Response, next: NextFunction): void {
    const underWay = this.connections.get(socket);
    if (underWay === undefined) socket.once('close', () => this.connections.delete(socket));
    this.connections.set(socket, (underWay ?? 0) + 1);
    response.once('close', () => this.responseEnded(socket));
    if (this.begun) response.setHeader('Connection', 'close');
    next();
  }

  private responseEnded(socket: Socket): void {
    const underWay = this.connections.get(socket);
    // The connection closed first.
    if (underWay === undefined) return;
    this.connections.set(socket, underWay - 1);
    if (underWay > 1) return;
    if (this.finishing) socket.destroySoon();
    // Node's own idle timeout. The next request clears it.
    else if (this.begun) socket.setTimeout(IDLE_MS);
  }
}
