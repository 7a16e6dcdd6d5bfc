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
  private finishing = false;
  /** How many answers are under way on each. */
  private readonly connections = new Map<Socket, number>();

  begin(): void {
    this.begun = true;
  }

  /**
   * Has each connection end with the answers that are under way on it. Node closes those only that are idle when its
   * server closes; the others, whose clients were told to keep them, would stay.
   */
  finish(): void {
    this.finishing = true;
  }

  /** Cuts whatever is still under way. */
  end(): void {
    for (const socket of this.connections.keys()) cutConnection(socket, 'shutdown');
  }

  /** Resolves when every connection has closed, and all who listen to that have heard. */
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
    response.once('close', () => this.answered(socket));
    if (this.begun) response.setHeader('Connection', 'close');
    next();
  }

  private answered(socket: Socket): void {
    const underWay = this.connections.get(socket);
    // It has closed before.
    if (underWay === undefined) return;
    this.connections.set(socket, underWay - 1);
    if (this.finishing && underWay === 1) socket.destroySoon();
  }
}
