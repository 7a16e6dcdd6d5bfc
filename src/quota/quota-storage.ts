import type { ThrottlerStorage } from '@nestjs/throttler';
import type { BucketCount, QuotaWindow } from './quota-window.js';

/** Counts the requests of buckets in fixed windows. */
export interface QuotaStorage {
  /** Counts one request in every window of the bucket, in one step, and tells the windows after it. */
  hit(bucket: string, windows: readonly QuotaWindow[]): Promise<BucketCount>;

  /** Tells the windows of the bucket, without counting. */
  read(bucket: string, windows: readonly QuotaWindow[]): Promise<BucketCount>;

  /** Whether this replica counts for itself although it should not. */
  readonly degraded?: boolean;

  /** Makes ready to count. Resolves in any case, soon. */
  start(): Promise<void>;

  close(): void;
}

/**
 * A storage as `ThrottlerModule` takes it, for its guard and for this service. The guard counts one window of a key with
 * each call. The service counts all windows of a bucket in one step, in a middleware (decision 154).
 */
export abstract class ThrottlerQuotaStorage implements QuotaStorage, ThrottlerStorage {
  abstract hit(bucket: string, windows: readonly QuotaWindow[]): Promise<BucketCount>;
  abstract read(bucket: string, windows: readonly QuotaWindow[]): Promise<BucketCount>;
  abstract start(): Promise<void>;
  abstract close(): void;

  async increment(key: string, ttl: number, limit: number, _blockDuration: number, name: string) {
    // A bucket of its own for each window: a hit replaces the windows of its bucket.
    const { now, counts } = await this.hit(`${name}:${key}`, [{ name, ttl }]);
    const { hits, endsAt } = counts[0]!;
    const timeToExpire = Math.ceil((endsAt - now) / 1000);
    return { totalHits: hits, timeToExpire, isBlocked: hits > limit, timeToBlockExpire: timeToExpire };
  }
}
