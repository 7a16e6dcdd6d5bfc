import type { Request } from 'express';
import type { Socket } from 'node:net';
import { SymbolProperty } from './symbol-property.js';

export type AbortReason =
  /** The response moved too few bytes. */
  | 'stall'
  /** The slow client delayed another customer or a migration. */
  | 'held-up'
  | 'error'
  | 'shutdown';

const reasons = new SymbolProperty<Socket, AbortReason>('abort reason');

/**
 * Resets a connection whose response cannot continue. With HTTP/1.0, a normal close would look like the end of the
 * response. Pass the socket of the request: a response that waits behind another one has no socket yet.
 */
export function abortConnection(socket: Socket, reason: AbortReason): void {
  if (socket.destroyed) return;
  reasons.set(socket, reason);
  socket.resetAndDestroy();
}

/** Returns why the service aborted the connection of a request; undefined if it did not. */
export function abortReason({ socket }: Request): AbortReason | undefined {
  return reasons.get(socket);
}
