import type { Request } from 'express';
import type { Socket } from 'node:net';

export type AbortReason =
  /** Too few bytes left. */
  | 'stall'
  /** Its client held up another customer or a migration. */
  | 'held-up'
  | 'error'
  | 'shutdown';

const reasons = new WeakMap<Socket, AbortReason>();

/**
 * Resets a connection whose answer cannot go on: an orderly end would pass for the end of the answer with a client of
 * HTTP/1.0. An answer that waits behind another on its connection has no socket of its own yet; its request has.
 */
export function abortConnection(socket: Socket, reason: AbortReason): void {
  if (socket.destroyed) return;
  reasons.set(socket, reason);
  socket.resetAndDestroy();
}

/** Why the connection of a request was cut; undefined: it was not. */
export function abortReason({ socket }: Request): AbortReason | undefined {
  return reasons.get(socket);
}
