/** If the difference of both clocks changes by more milliseconds, one of them was set. Less is jitter. */
const STEP_MS = 1000;

/**
 * The time of day for windows that must not move when somebody sets the clock of the machine. It runs on the monotonic
 * clock of the process, in whole milliseconds.
 */
export class SteadyClock {
  private offset = Math.round(Date.now() - performance.now());

  /** Milliseconds by the monotonic clock; its zero means nothing. */
  now(): number {
    return Math.floor(performance.now());
  }

  /** What to add to a time of {@link now} to get milliseconds since 1970, by the clock of the machine as it is set now. */
  sinceEpoch(): number {
    const offset = Math.round(Date.now() - performance.now());
    if (Math.abs(offset - this.offset) > STEP_MS) this.offset = offset;
    return this.offset;
  }
}
