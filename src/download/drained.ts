import type { Response } from 'express';

/**
 * Resolves with true when the operating system has accepted everything that was written, or the connection has closed.
 * @param timeout milliseconds after which it resolves with false; default: no timeout
 */
export function drained(response: Response, timeout?: number): Promise<boolean> {
  if (!response.writableNeedDrain || response.destroyed) return Promise.resolve(true);
  return new Promise((resolve) => {
    const settle = (isDrained: boolean) => {
      clearTimeout(timer);
      response.off('drain', onDrained).off('close', onDrained);
      resolve(isDrained);
    };
    const onDrained = () => settle(true);
    const timer = timeout === undefined ? undefined : setTimeout(settle, timeout, false);
    response.on('drain', onDrained).on('close', onDrained);
  });
}

/** Ends a response. Resolves when its last byte is sent or the connection has closed. */
export function ended(response: Response): Promise<void> {
  if (response.destroyed) return Promise.resolve();
  return new Promise((resolve) => void response.once('close', resolve).end(resolve));
}
