import type { Request } from 'express';

const cuts = new WeakSet<Request>();

/**
 * Resets the connection of a request whose answer cannot go on: an orderly end would pass for the end of the answer with
 * a client of HTTP/1.0. An answer that waits behind another on its connection has no socket of its own yet; its request
 * has.
 */
export function cutConnection(request: Request): void {
  cuts.add(request);
  request.socket.resetAndDestroy();
}

/** Whether its answer was cut, rather than left by its client. */
export function wasCut(request: Request): boolean {
  return cuts.has(request);
}
