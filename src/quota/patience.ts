/**
 * The outcome of `work`, or an error where it takes longer than `ms` milliseconds. That this process was busy is not held
 * against the work: what has arrived meanwhile is read before time is up.
 */
export function withPatience<T>(work: Promise<T>, ms: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const start = performance.now();
    const giveUp = () => reject(new Error(`no answer within ${ms} ms`));
    const check = () => {
      // Node counts a timer from the start of the turn that sets it, which may have been long ago.
      const left = Math.ceil(start + ms - performance.now());
      if (left > 0) timer = setTimeout(check, left);
      // Timers come before input in each turn, immediates after it.
      else setImmediate(giveUp);
    };
    let timer = setTimeout(check, ms);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
