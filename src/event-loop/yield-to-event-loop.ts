const waiting: (() => void)[] = [];

/**
 * Resolves in a later turn of the event loop. Each turn resumes one caller. Between two pieces of work on large
 * responses, the process therefore handles new input, however many such responses there are.
 */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(next);
  });
}

function next(): void {
  waiting.shift()!();
  if (waiting.length) setImmediate(next);
}
