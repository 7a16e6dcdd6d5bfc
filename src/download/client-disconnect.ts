import type { Response } from 'express';

/**
 * Watches the client of a response. `signal` aborts when the connection closes. If the client closes only its sending
 * side, the service resets the connection. Otherwise Node would close it normally in the middle of the response, and
 * the client would mistake the incomplete response for a complete one. Call `stop` at the end, because a keep-alive
 * connection outlives its response.
 */
export function watchDisconnect({ req: { socket } }: Response): { signal: AbortSignal; stop(): void } {
  const controller = new AbortController();
  const abort = () => controller.abort();
  const reset = () => socket.resetAndDestroy();
  // This listener must run before Node's own, because Node's closes the socket, and a closed socket cannot be reset.
  socket.once('close', abort).prependOnceListener('end', reset);
  if (socket.destroyed || socket.readableEnded) abort();
  return { signal: controller.signal, stop: () => void socket.off('close', abort).off('end', reset) };
}

/** An error handler that ignores errors after the client has disconnected, and rethrows all others. */
export function unlessDisconnected(disconnected: AbortSignal): (error: unknown) => undefined {
  return (error) => {
    if (!disconnected.aborted) throw error;
  };
}
