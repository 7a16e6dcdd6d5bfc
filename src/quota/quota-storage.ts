import type { ThrottlerStorage } from '@nestjs/throttler';
import type { BucketCount, QuotaWindow } from './quota-window.js';

/** Counts the requests of buckets in fixed windows. */
export interface QuotaStorage {
  /**
   * Counts one request in every window of the bucket in one atomic step.
   * @param windows the same windows in the same order for each call with this bucket, because counts have no names
   * @returns the windows including this request
   */
  hit(bucket: string, windows: readonly QuotaWindow[]): Promise<BucketCount>;

  /** Returns the windows of the bucket without counting. @param windows see {@link hit} */
  read(bucket: string, windows: readonly QuotaWindow[]): Promise<BucketCount>;

  /** Whether this replica counts on its own, now or recently, although the replicas should share their counts. */
  readonly degraded?: boolean;

  /** Prepares for counting. Resolves within seconds, even on failure. @throws {SettingsError} if it can never count */
  start(): Promise<void>;

  close(): void;
}

/**
 * A storage for `ThrottlerModule` that works with its guard and with this service. The guard counts one window of a key
 * per call. The service counts all windows of a bucket in one step, in a middleware (docs/decisions.md#154).
 */
export abstract class ThrottlerQuotaStorage implements QuotaStorage, ThrottlerStorage {
  abstract hit(bucket: string, windows: readonly QuotaWindow[]): Promise<BucketCount>;
  abstract read(bucket: string, windows: readonly QuotaWindow[]): Promise<BucketCount>;
  abstract start(): Promise<void>;
  abstract close(): void;

  async increment(key: string, ttl: number, limit: number, _blockDuration: number, name: string) {
    // Each window needs a separate bucket, because a hit counts in all windows of its bucket.
    const { now, counts } = await this.hit(`${name}:${key}`, [{ name, ttl }]);
    const { hits, endsAt } = counts[0]!;
    const timeToExpire = Math.ceil((endsAt - now) / 1000);
    return { totalHits: hits, timeToExpire, isBlocked: hits > limit, timeToBlockExpire: timeToExpire };
  }
}
