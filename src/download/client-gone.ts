import type { Response } from 'express';

/**
 * Aborts when the client's connection ends. Where the client closes its side only, Node would close ours in order, in the
 * midst of the response.
 */
export function leaving({ req: { socket } }: Response): { signal: AbortSignal; forget(): void } {
  const gone = new AbortController();
  const leave = () => gone.abort();
  const reset = () => socket.resetAndDestroy();
  // Before Node does, which leaves nothing to reset.
  socket.once('close', leave).prependOnceListener('end', reset);
  if (socket.destroyed || socket.readableEnded) leave();
  return { signal: gone.signal, forget: () => void socket.off('close', leave).off('end', reset) };
}

/** Drops an error that is due to the client's leaving. */
export function unlessGone(gone: AbortSignal): (error: unknown) => undefined {
  return (error) => {
    if (!gone.aborted) throw error;
  };
}
