import { Logger } from '@nestjs/common';
import { SettingsError } from '../config/settings-error.js';
import { LossRecord } from './loss-record.js';
import type { MemoryQuotaStorage } from './memory-quota-storage.js';
import { withReplyTimeout } from './reply-timeout.js';
import { ThrottlerQuotaStorage } from './quota-storage.js';
import type { BucketCount, QuotaWindow } from './quota-window.js';
import type { RedisQuotaStorage } from './redis-quota-storage.js';

/** The longest time that a request waits for Redis, in milliseconds. */
export const REPLY_TIMEOUT_MS = 100;
/** Time between two probes, in milliseconds. They keep the connection from being idle for long (decision 120). */
const PROBE_EVERY_MS = 1000;
/** Time between two probes while Redis is lost, in milliseconds. */
const PROBE_LOST_EVERY_MS = 250;
/** The longest time that the start of the service waits for Redis, in milliseconds. */
const START_MS = 2000;

/**
 * Counts in Redis while Redis replies in time, and in this process otherwise. Because of Redis, no request fails or
 * waits longer than {@link REPLY_TIMEOUT_MS}.
 */
export class FailoverQuotaStorage extends ThrottlerQuotaStorage {
  private readonly logger = new Logger('Quota');
  private nextProbe?: NodeJS.Timeout;
  private readonly loss = new LossRecord();
  /** Messages that are logged once. */
  private readonly logged = new Set<string>();

  constructor(
    private readonly redis: RedisQuotaStorage,
    private readonly memory: MemoryQuotaStorage,
  ) {
    super();
  }

  /**
   * Whether this replica counts on its own, now or within the last minute, because Redis does not reply. If Redis is lost
   * and found repeatedly, most scrapes would otherwise fall between two losses.
   */
  get degraded(): boolean {
    return this.loss.isRecent;
  }

  /**
   * Waits up to {@link START_MS} for Redis, so that it counts the first requests. Resolves even if Redis is lost.
   * @throws {SettingsError} if this kind of server can never count
   */
  async start(): Promise<void> {
    await this.redis.start();
    const deadline = performance.now() + START_MS;
    let problem = await problemOf(this.redis.probe());
    while (problem && !(problem instanceof SettingsError) && performance.now() < deadline) {
      await new Promise((resolve) => setTimeout(resolve, PROBE_LOST_EVERY_MS / 10));
      problem = await problemOf(this.redis.probe());
    }
    if (problem instanceof SettingsError) throw problem;
    if (problem) this.markLost(problem);
    else void this.warnOfEviction();
    this.scheduleProbe();
  }

  async hit(bucket: string, windows: readonly QuotaWindow[]): Promise<BucketCount> {
    if (!this.loss.isLost) {
      try {
        const count = await withReplyTimeout(this.redis.hit(bucket, windows), REPLY_TIMEOUT_MS);
        // The connection was just used, so the time until the next probe starts again.
        this.nextProbe?.refresh();
        return count;
      } catch (error) {
        this.markLost(error as Error);
      }
    }
    return this.memory.hit(bucket, windows);
  }

  /** Reads only from Redis, because only Redis has the counts of all replicas. @throws while Redis does not reply */
  async read(bucket: string, windows: readonly QuotaWindow[]): Promise<BucketCount> {
    return withReplyTimeout(this.redis.read(bucket, windows), REPLY_TIMEOUT_MS).catch((cause: Error) => {
      throw new Error(`Redis (REDIS_URL) cannot be read: ${this.redis.lastError ?? cause.message}`, { cause });
    });
  }

  close(): void {
    clearTimeout(this.nextProbe);
    this.nextProbe = undefined;
    this.redis.close();
  }

  private markLost(problem: Error): void {
    const isUnsupported = problem instanceof SettingsError;
    if (isUnsupported)
      this.logOnce('error', `${problem.problems[0]}. Until then, this replica counts quotas on its own.`);
    if (this.loss.isLost) return;
    this.loss.begin();
    const reason = this.redis.lastError ?? problem.message;
    if (!isUnsupported)
      this.logger.error(`Redis is lost (${reason}): this replica counts quotas on its own until Redis recovers`);
    // Drops the old connection: Redis must not count its pending requests later, because this process counts them.
    this.redis.reconnect();
    this.scheduleProbe();
  }

  /** Replaces the next probe. */
  private scheduleProbe(): void {
    clearTimeout(this.nextProbe);
    const timer = setTimeout(
      async () => {
        const problem = await problemOf(this.loss.isLost ? this.redis.probe() : this.redis.watch());
        // In the meantime, the storage was closed, or it lost Redis and scheduled another probe.
        if (timer !== this.nextProbe) return;
        if (problem) this.markLost(problem);
        else if (this.loss.isLost) this.recover();
        this.scheduleProbe();
      },
      this.loss.isLost ? PROBE_LOST_EVERY_MS : PROBE_EVERY_MS,
    ).unref();
    this.nextProbe = timer;
  }

  private recover(): void {
    this.loss.end();
    this.logger.log('Redis is back: quotas are counted there again');
    void this.warnOfEviction();
  }

  private async warnOfEviction(): Promise<void> {
    const policy = await this.redis.evictionPolicy();
    if (policy)
      this.logOnce(
        'warn',
        `Redis (REDIS_URL) may evict counts before their windows end (maxmemory-policy ${policy}), so customers may exceed their quotas: set maxmemory-policy noeviction`,
      );
  }

  private logOnce(level: 'warn' | 'error', message: string): void {
    if (this.logged.has(message)) return;
    this.logged.add(message);
    this.logger[level](message);
  }
}

/** Returns why Redis did not reply correctly and in time; undefined if it did. */
function problemOf(reply: Promise<void>): Promise<Error | undefined> {
  return withReplyTimeout(reply, REPLY_TIMEOUT_MS).then(
    () => undefined,
    (error: Error) => error,
  );
}
