/** How long a past loss counts as recent, in milliseconds. Prometheus usually scrapes at least once in this time. */
const RECENT_MS = 60_000;

/** Records whether something is lost now, and whether it was lost recently, by a monotonic clock. */
export class LossRecord {
  private endedAt = -Infinity;
  private lost = false;

  get isLost(): boolean {
    return this.lost;
  }

  /** Whether it is lost now, or was lost within the last {@link RECENT_MS}. */
  get isRecent(): boolean {
    return this.lost || performance.now() - this.endedAt < RECENT_MS;
  }

  begin(): void {
    this.lost = true;
  }

  end(): void {
    this.lost = false;
    this.endedAt = performance.now();
  }
}
