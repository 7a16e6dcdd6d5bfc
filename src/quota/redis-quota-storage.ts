import { Redis } from 'ioredis';
import { ThrottlerQuotaStorage } from './quota-storage.js';
import type { BucketCount, QuotaWindow } from './quota-window.js';

const PREFIX = 'customer-data:quota:';
const PROBE = `${PREFIX}probe`;
const PROBE_TTL_MS = 1000;

/**
 * One bucket is one hash: for each window, its hits and its end by the clock of Redis. KEYS: the bucket. ARGV: how much
 * to add (0 or 1), the latest time at which to do so (0: any), then the length of each window. A window that has ended,
 * or whose end is missing or impossible, starts anew. A script that Redis runs too late, after it hung, adds nothing:
 * its caller has long counted elsewhere.
 */
const COUNT = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local add, latest = tonumber(ARGV[1]), tonumber(ARGV[2])
if latest > 0 and now > latest then return {now} end
local result, last = {now}, 0
for i = 3, #ARGV do
  local ttl = tonumber(ARGV[i])
  local kept = redis.call('HMGET', KEYS[1], 'hits:' .. ttl, 'ends:' .. ttl)
  local hits, ends = tonumber(kept[1] or 0) or 0, tonumber(kept[2] or 0) or 0
  if not (hits >= 0 and now < ends and ends <= now + ttl) then hits, ends = 0, now + ttl end
  hits = hits + add
  if add > 0 then redis.call('HSET', KEYS[1], 'hits:' .. ttl, hits, 'ends:' .. ttl, ends) end
  if ends > last then last = ends end
  result[#result + 1] = hits
  result[#result + 1] = ends
end
if add > 0 then redis.call('PEXPIREAT', KEYS[1], last) end
return result`;

type CountingRedis = Redis & { count(key: string, ...args: (string | number)[]): Promise<number[]> };

/** Counts in Redis, shared by all replicas: one round trip and one atomic step a request. */
export class RedisQuotaStorage extends ThrottlerQuotaStorage {
  private readonly redis: CountingRedis;
  /** Why there is no connection, in the words of Redis or of the network. */
  complaint?: string;
  /** How far the clock of Redis is ahead of ours, in milliseconds, at the most; once known. */
  private clockAhead?: number;

  /**
   * @param patience milliseconds after which the caller of {@link hit} counts elsewhere
   * @param ca certificates to trust for `rediss://`, instead of the public ones
   */
  constructor(
    url: string,
    private readonly patience: number,
    ca?: string,
  ) {
    super();
    this.redis = new Redis(url, {
      lazyConnect: true,
      ...(ca && { tls: { ca } }),
      scripts: { count: { lua: COUNT, numberOfKeys: 1 } },
      // What cannot be counted now is counted elsewhere; nothing is kept to be counted later.
      enableOfflineQueue: false,
      autoResendUnfulfilledCommands: false,
      maxRetriesPerRequest: 0,
      connectTimeout: 1000,
      socketTimeout: 5000,
      retryStrategy: (attempt) => Math.min(attempt * 50, 500),
      // A primary that became a replica: connect anew, to whoever the address names now.
      reconnectOnError: ({ message }) => message.startsWith('READONLY'),
    }) as CountingRedis;
    this.redis.on('error', ({ message, code }: NodeJS.ErrnoException) => (this.complaint = message || code));
    this.redis.on('ready', () => (this.complaint = undefined));
  }

  hit(bucket: string, windows: readonly QuotaWindow[]): Promise<BucketCount> {
    const latest = this.clockAhead === undefined ? 0 : Math.ceil(Date.now() + this.clockAhead + this.patience);
    return this.count(bucket, 1, latest, windows);
  }

  read(bucket: string, windows: readonly QuotaWindow[]): Promise<BucketCount> {
    return this.count(bucket, 0, 0, windows);
  }

  /** Begins to connect, and keeps trying in the background. */
  async start(): Promise<void> {
    this.redis.connect().catch(() => undefined);
  }

  /** Resolves if Redis takes writes. */
  async probe(): Promise<void> {
    await this.redis.set(PROBE, 1, 'PX', PROBE_TTL_MS);
    const sent = Date.now();
    const [seconds, microseconds] = await this.redis.time();
    this.clockAhead = seconds! * 1000 + microseconds! / 1000 - sent;
  }

  /** Gives up the connection and what is under way on it, and makes a new one. */
  reconnect(): void {
    if (this.redis.status === 'ready') this.redis.disconnect(true);
  }

  close(): void {
    this.redis.disconnect();
  }

  private async count(
    bucket: string,
    add: 0 | 1,
    latest: number,
    windows: readonly QuotaWindow[],
  ): Promise<BucketCount> {
    const sent = Date.now();
    const [now, ...pairs] = await this.redis.count(PREFIX + bucket, add, latest, ...windows.map(({ ttl }) => ttl));
    if (!pairs.length) throw new Error('Redis came to this request too late');
    // Held against the time of sending: when this process comes to the answer says nothing about Redis.
    this.clockAhead = now! - sent;
    return {
      now: now!,
      counts: windows.map((_, index) => ({ hits: pairs[2 * index]!, endsAt: pairs[2 * index + 1]! })),
    };
  }
}
