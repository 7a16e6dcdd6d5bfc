const waiting: (() => void)[] = [];

/**
 * Resolves when the event loop has come round, for one waiter each time: whatever is at work on large answers does a
 * bounded piece of them between two looks at what else has come in, however many there are.
 */
export function turn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(next);
  });
}

function next(): void {
  waiting.shift()!();
  if (waiting.length) setImmediate(next);
}
