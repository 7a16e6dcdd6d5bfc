/**
 * The outcome of `work`, or an error with `message` where it takes longer than `ms` milliseconds. The work itself goes
 * on; `late` is called if it succeeds after all, to give back what it took.
 */
export async function withDeadline<T>(
  work: Promise<T>,
  ms: number,
  message: string,
  late: (result: T) => Promise<unknown> = async () => undefined,
): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  let expired = false;
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      expired = true;
      reject(new Error(message));
    }, ms);
  });
  // Whatever comes of it later, nobody waits for it any more.
  work.then((result) => (expired ? late(result) : undefined)).catch(() => undefined);
  return Promise.race([work, deadline]).finally(() => clearTimeout(timer));
}

/** Asks one question at a time, however many want to know: what hangs must not collect those who ask. */
export function oneAtATime<T>(ask: () => Promise<T>): () => Promise<T> {
  let asking: Promise<T> | undefined;
  return () => (asking ??= ask().finally(() => (asking = undefined)));
}
