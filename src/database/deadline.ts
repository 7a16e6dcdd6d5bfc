/**
 * Returns the outcome of `work`. The work itself continues after the deadline.
 * @param onLate runs if `work` succeeds after the deadline, to release what it acquired
 * @throws an error with `message` if `work` takes longer than `ms` milliseconds
 */
export function withDeadline<T>(
  work: Promise<T>,
  ms: number,
  message: string,
  onLate: (result: T) => Promise<unknown> = async () => undefined,
): Promise<T> {
  return new Promise((resolve, reject) => {
    let expired = false;
    const timer = setTimeout(() => {
      expired = true;
      reject(new Error(message));
    }, ms);
    const end = (result: T) => {
      if (expired) return onLate(result);
      clearTimeout(timer);
      return resolve(result);
    };
    const fail = (error: unknown) => {
      clearTimeout(timer);
      reject(error as Error);
    };
    // Nothing else handles a rejection of `onLate`.
    work.then(end, fail).catch(() => undefined);
  });
}

/** Runs `work` once at a time. Calls during a run share its outcome, so that callers of hanging work do not pile up. */
export function oneAtATime<T>(work: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined;
  return () => (running ??= work().finally(() => (running = undefined)));
}
