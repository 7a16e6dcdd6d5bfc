import type { Response } from 'express';

/**
 * Aborts when the client's connection ends. If the client closes only its side, Node would close the other side in order,
 * in the middle of the response.
 */
export function leaving({ req: { socket } }: Response): { signal: AbortSignal; forget(): void } {
  const gone = new AbortController();
  const leave = () => gone.abort();
  const reset = () => socket.resetAndDestroy();
  // This listener runs before Node's, which leaves nothing to reset.
  socket.once('close', leave).prependOnceListener('end', reset);
  if (socket.destroyed || socket.readableEnded) leave();
  return { signal: gone.signal, forget: () => void socket.off('close', leave).off('end', reset) };
}

/** Ignores an error if the client has left. */
export function unlessGone(gone: AbortSignal): (error: unknown) => undefined {
  return (error) => {
    if (!gone.aborted) throw error;
  };
}
