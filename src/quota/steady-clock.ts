/**
 * A larger change of the difference between both clocks, in milliseconds, is an adjustment. A smaller one is jitter.
 */
const ADJUSTMENT_MS = 1000;

/**
 * A clock for windows that must not move when the system clock is adjusted. It uses the monotonic clock of the process,
 * in whole milliseconds.
 */
export class SteadyClock {
  private offset = Math.round(Date.now() - performance.now());

  /** Returns the monotonic time in milliseconds since an arbitrary moment. */
  now(): number {
    return Math.floor(performance.now());
  }

  /** Returns the milliseconds to add to a time of {@link now} to get milliseconds since 1970 by the system clock. */
  sinceEpoch(): number {
    const offset = Math.round(Date.now() - performance.now());
    if (Math.abs(offset - this.offset) > ADJUSTMENT_MS) this.offset = offset;
    return this.offset;
  }
}
