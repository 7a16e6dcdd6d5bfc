import { Logger } from '@nestjs/common';
import type { MemoryQuotaStorage } from './memory-quota-storage.js';
import { withPatience } from './patience.js';
import { ThrottlerQuotaStorage } from './quota-storage.js';
import type { BucketCount, QuotaWindow } from './quota-window.js';
import type { RedisQuotaStorage } from './redis-quota-storage.js';

/** The longest that a request waits for Redis, in milliseconds. */
export const PATIENCE_MS = 100;
/** How often Redis is probed: so that its connection is never idle for long (decision 120), and while it is lost. */
const PROBE_EVERY_MS = 1000;
const PROBE_LOST_EVERY_MS = 250;
/** How long the start of the service waits for Redis, in milliseconds. */
const START_MS = 2000;

/** Counts in Redis while it answers in time, else in this process; no request fails or waits long because of Redis. */
export class FailoverQuotaStorage extends ThrottlerQuotaStorage {
  private readonly logger = new Logger('Quota');
  /** The next probe. */
  private probing?: NodeJS.Timeout;
  private lost = false;

  constructor(
    private readonly redis: RedisQuotaStorage,
    private readonly memory: MemoryQuotaStorage,
  ) {
    super();
  }

  /** Whether this replica counts for itself, since Redis does not answer. */
  get degraded(): boolean {
    return this.lost;
  }

  /** Waits a while for Redis, so that the first requests are counted there; resolves whether or not it comes. */
  async start(): Promise<void> {
    await this.redis.start();
    const deadline = performance.now() + START_MS;
    while (performance.now() < deadline && (await problemOf(this.redis.probe())))
      await new Promise((resolve) => setTimeout(resolve, PROBE_LOST_EVERY_MS / 10));
    const problem = await problemOf(this.redis.probe());
    if (problem) this.lose(problem);
    this.probeLater();
  }

  async hit(bucket: string, windows: readonly QuotaWindow[]): Promise<BucketCount> {
    if (!this.lost) {
      try {
        const count = await withPatience(this.redis.hit(bucket, windows), PATIENCE_MS);
        // The connection is in use: the next probe is due when it has been idle for as long again.
        this.probing?.refresh();
        return count;
      } catch (error) {
        this.lose((error as Error).message);
      }
    }
    return this.memory.hit(bucket, windows);
  }

  /** What all replicas counted; nothing else would be the truth. @throws while Redis does not answer */
  async read(bucket: string, windows: readonly QuotaWindow[]): Promise<BucketCount> {
    return withPatience(this.redis.read(bucket, windows), PATIENCE_MS).catch((cause: Error) => {
      throw new Error(`The Redis of REDIS_URL cannot be asked: ${this.redis.lastError ?? cause.message}`, { cause });
    });
  }

  close(): void {
    clearTimeout(this.probing);
    this.probing = undefined;
    this.redis.close();
  }

  private lose(reason: string): void {
    if (this.lost) return;
    this.lost = true;
    this.logger.error(
      `Redis is lost (${this.redis.lastError ?? reason}): until it is back, this replica counts quotas for itself`,
    );
    // What was sent and not answered must not be counted later.
    this.redis.reconnect();
    this.probeLater();
  }

  /** Replaces the next probe, whose time depends on whether Redis is lost. */
  private probeLater(): void {
    clearTimeout(this.probing);
    const probing = setTimeout(
      async () => {
        const problem = await problemOf(this.lost ? this.redis.probe() : this.redis.readClock());
        // The storage was closed, or lost Redis and set another probe.
        if (probing !== this.probing) return;
        if (problem) this.lose(problem);
        else if (this.lost) this.recover();
        this.probeLater();
      },
      this.lost ? PROBE_LOST_EVERY_MS : PROBE_EVERY_MS,
    ).unref();
    this.probing = probing;
  }

  private recover(): void {
    this.lost = false;
    this.logger.log('Redis is back: quotas are counted there again');
  }
}

/** Why Redis did not reply as it should, in time; undefined: it did. */
function problemOf(reply: Promise<void>): Promise<string | undefined> {
  return withPatience(reply, PATIENCE_MS).then(
    () => undefined,
    (error: Error) => error.message,
  );
}
