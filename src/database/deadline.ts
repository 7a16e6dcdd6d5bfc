/**
 * Returns the outcome of `work`. The work itself continues after the deadline.
 * @param onLate runs if `work` succeeds after the deadline, to release what it acquired
 * @throws an error with `message` if `work` takes longer than `ms` milliseconds
 */
export async function withDeadline<T>(
  work: Promise<T>,
  ms: number,
  message: string,
  onLate: (result: T) => Promise<unknown> = async () => undefined,
): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  let expired = false;
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      expired = true;
      reject(new Error(message));
    }, ms);
  });
  // After the deadline nothing else handles a rejection of `work`.
  work.then((result) => (expired ? onLate(result) : undefined)).catch(() => undefined);
  return Promise.race([work, deadline]).finally(() => clearTimeout(timer));
}

/** Runs `work` once at a time. Calls during a run share its outcome, so that callers of hanging work do not pile up. */
export function oneAtATime<T>(work: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined;
  return () => (running ??= work().finally(() => (running = undefined)));
}
