import type { Response } from 'express';
import type { Socket } from 'node:net';

const listeners = new WeakMap<Socket, Set<() => void>>();

/**
 * Has it told when a connection closes. A socket has one listener for all its answers, of which a client may ask for any
 * number before it reads the first. @returns what takes that back
 */
export function onClose(socket: Socket, tell: () => void): () => void {
  const own = listeners.get(socket) ?? listen(socket);
  own.add(tell);
  return () => void own.delete(tell);
}

/**
 * Waits until the answers before this one on its connection are sent: nothing of it could go out earlier.
 * @returns false where the connection closed before; a response that waits behind another is not told of that
 */
export function turnOf(response: Response): Promise<boolean> {
  const { socket } = response.req;
  if (response.socket || socket.destroyed) return Promise.resolve(!socket.destroyed);
  return new Promise((resolve) => {
    const forget = onClose(socket, () => resolve(false));
    response.once('socket', () => {
      forget();
      resolve(true);
    });
  });
}

function listen(socket: Socket): Set<() => void> {
  const own = new Set<() => void>();
  listeners.set(socket, own);
  socket.once('close', () => own.forEach((tell) => tell()));
  return own;
}
