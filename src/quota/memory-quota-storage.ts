import { ThrottlerQuotaStorage } from './quota-storage.js';
import type { BucketCount, QuotaWindow, WindowCount } from './quota-window.js';

/** Below so many buckets nobody looks for ended ones. */
const SWEEP_FROM = 1024;

/** Counts within this process. Buckets whose windows have all ended are swept as new ones come, without a timer. */
export class MemoryQuotaStorage extends ThrottlerQuotaStorage {
  private readonly buckets = new Map<string, Map<string, WindowCount>>();
  private sweepAt = SWEEP_FROM;

  /** @param clock milliseconds since 1970 */
  constructor(private readonly clock: () => number = () => Date.now()) {
    super();
  }

  async hit(bucket: string, windows: readonly QuotaWindow[]): Promise<BucketCount> {
    const now = this.clock();
    const before = this.buckets.get(bucket);
    const counts = windows.map((window) => {
      const { hits, endsAt } = current(before?.get(window.name), window, now);
      return { hits: hits + 1, endsAt };
    });
    if (!before) this.sweep(now);
    this.buckets.set(bucket, new Map(windows.map(({ name }, index) => [name, counts[index]!])));
    return { now, counts };
  }

  async read(bucket: string, windows: readonly QuotaWindow[]): Promise<BucketCount> {
    const now = this.clock();
    const kept = this.buckets.get(bucket);
    return { now, counts: windows.map((window) => current(kept?.get(window.name), window, now)) };
  }

  async start(): Promise<void> {}

  close(): void {}

  /** How many buckets are held. */
  get size(): number {
    return this.buckets.size;
  }

  private sweep(now: number): void {
    if (this.buckets.size < this.sweepAt) return;
    for (const [bucket, counts] of this.buckets)
      if ([...counts.values()].every(({ endsAt }) => endsAt <= now)) this.buckets.delete(bucket);
    this.sweepAt = Math.max(SWEEP_FROM, 2 * this.buckets.size);
  }
}

/** The window as it stands: the kept one until its end, then a new one that would start now. */
function current(kept: WindowCount | undefined, { ttl }: QuotaWindow, now: number): WindowCount {
  return kept && now < kept.endsAt ? kept : { hits: 0, endsAt: now + ttl };
}
