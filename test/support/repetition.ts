import { setTimeout as sleep } from 'node:timers/promises';

/** Something that is done over and over until it is stopped. */
export class Repetition {
  private readonly stopping = new AbortController();
  private readonly done: Promise<void>;

  /**
   * @param once must not fail
   * @param pause milliseconds between the end of one time and the next
   * @param delay milliseconds before the first
   */
  constructor(
    private readonly once: () => Promise<unknown>,
    private readonly pause: number,
    delay = 0,
  ) {
    this.done = this.run(delay);
  }

  /** Resolves at the end of the time that is under way, which is the last one. */
  stop(): Promise<void> {
    this.stopping.abort();
    return this.done;
  }

  private async run(delay: number): Promise<void> {
    await this.sleep(delay);
    for (; !this.stopping.signal.aborted; await this.sleep(this.pause)) await this.once();
  }

  private sleep(milliseconds: number): Promise<void> {
    return sleep(milliseconds, undefined, { signal: this.stopping.signal }).catch(() => undefined);
  }
}
