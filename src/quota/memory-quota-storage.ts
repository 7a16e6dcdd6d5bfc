import { ThrottlerQuotaStorage } from './quota-storage.js';
import type { BucketCount, QuotaWindow, WindowCount } from './quota-window.js';
import { SteadyClock } from './steady-clock.js';

/** The storage does not sweep below this number of buckets. */
const SWEEP_FROM = 1024;

/**
 * Counts in this process by a monotonic clock (decision 121). New buckets trigger a sweep, which deletes the buckets
 * whose windows have all ended, so no timer is needed.
 */
export class MemoryQuotaStorage extends ThrottlerQuotaStorage {
  private readonly buckets = new Map<string, readonly WindowCount[]>();
  private readonly clock = new SteadyClock();
  private sweepAt = SWEEP_FROM;

  async hit(bucket: string, windows: readonly QuotaWindow[]): Promise<BucketCount> {
    const now = this.clock.now();
    const before = this.buckets.get(bucket);
    const counts = windows.map((window, index) => {
      const { hits, endsAt } = current(before?.[index], window, now);
      return { hits: hits + 1, endsAt };
    });
    if (!before) this.sweep(now);
    this.buckets.set(bucket, counts);
    return this.withDates(now, counts);
  }

  async read(bucket: string, windows: readonly QuotaWindow[]): Promise<BucketCount> {
    const now = this.clock.now();
    const stored = this.buckets.get(bucket);
    return this.withDates(
      now,
      windows.map((window, index) => current(stored?.[index], window, now)),
    );
  }

  async start(): Promise<void> {}

  close(): void {}

  private withDates(now: number, counts: readonly WindowCount[]): BucketCount {
    const epoch = this.clock.sinceEpoch();
    return { now: now + epoch, counts: counts.map(({ hits, endsAt }) => ({ hits, endsAt: endsAt + epoch })) };
  }

  /** The number of stored buckets. */
  get size(): number {
    return this.buckets.size;
  }

  private sweep(now: number): void {
    if (this.buckets.size < this.sweepAt) return;
    for (const [bucket, counts] of this.buckets)
      if (counts.every(({ endsAt }) => endsAt <= now)) this.buckets.delete(bucket);
    this.sweepAt = Math.max(SWEEP_FROM, 2 * this.buckets.size);
  }
}

/**
 * Returns the stored window. If it has ended, or would end later than `ttl` from now, returns a new window that starts
 * now.
 */
function current(stored: WindowCount | undefined, { ttl }: QuotaWindow, now: number): WindowCount {
  return stored && now < stored.endsAt && stored.endsAt <= now + ttl ? stored : { hits: 0, endsAt: now + ttl };
}
