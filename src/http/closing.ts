import type { Socket } from 'node:net';

/** How long a client has to close its side of the connection after the last response. */
const LINGER_MS = 2000;

/**
 * Sends the last bytes and closes the connection, but keeps reading for a moment. If the service closed the connection
 * while the client still sends, a reset could destroy the response before the client reads it. The time limit covers
 * clients that never close their side.
 */
export function closeGently(socket: Socket, lastText = ''): void {
  socket.end(lastText);
  socket.resume();
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}
