import { setTimeout as sleep } from 'node:timers/promises';

const PATIENCE_MS = 30_000;

interface Polling {
  everyMs?: number;
  /** The time limit. Most events need no other than the default. */
  patienceMs?: number;
}

/**
 * Polls until `find` returns a truthy value.
 * @returns that value
 * @param what the name of the event, for the error after the time limit. Pass a function if the text is known only then,
 * such as the output of a process.
 */
export async function until<T>(
  what: string | (() => string),
  find: () => T | Promise<T>,
  { everyMs = 20, patienceMs = PATIENCE_MS }: Polling = {},
): Promise<NonNullable<T>> {
  for (const deadline = performance.now() + patienceMs; performance.now() < deadline; await sleep(everyMs)) {
    const found = await find();
    if (found) return found;
  }
  throw new Error(`Not within ${patienceMs / 1000} s: ${typeof what === 'string' ? what : what()}`);
}

/** Polls until the URL returns this status, rarely enough for the anonymous quota. @returns the response */
export function untilStatus(url: string, status: number): Promise<Response> {
  const find = async () => {
    const response = await fetch(url);
    return response.status === status ? response : undefined;
  };
  return until(`status ${status} of ${url}`, find, { everyMs: 100 });
}
