import { setTimeout as sleep } from 'node:timers/promises';

/** Repeats an action until it is stopped. */
export class Repetition {
  private readonly stopping = new AbortController();
  private readonly done: Promise<void>;

  /**
   * @param once the action, which must not reject
   * @param pause milliseconds between the end of one run and the start of the next
   * @param delay milliseconds before the first run
   */
  constructor(
    private readonly once: () => Promise<unknown>,
    private readonly pause: number,
    delay = 0,
  ) {
    this.done = this.run(delay);
  }

  /** Resolves at the end of the current run, which is the last one. */
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
