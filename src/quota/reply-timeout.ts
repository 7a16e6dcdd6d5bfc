/**
 * Returns the outcome of `work`, or rejects if it takes longer than `ms` milliseconds. A busy process causes no
 * timeout: Node first reads the input that has arrived in the meantime.
 */
export function withReplyTimeout<T>(work: Promise<T>, ms: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const start = performance.now();
    const expire = () => reject(new Error(`no reply within ${ms} ms`));
    const check = () => {
      // Node starts a timer at the beginning of the current event loop turn, which may have been long ago.
      const left = Math.ceil(start + ms - performance.now());
      if (left > 0) timer = setTimeout(check, left);
      // In each turn, Node runs timers before input and immediates after it.
      else setImmediate(expire);
    };
    let timer = setTimeout(check, ms);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
