import { Redis } from 'ioredis';
import { TCP_KEEP_ALIVE_MS } from '../config/tcp-keep-alive.js';
import { ThrottlerQuotaStorage } from './quota-storage.js';
import type { BucketCount, QuotaWindow } from './quota-window.js';

const PREFIX = 'customer-data:quota:';
/** The bucket of probes, which belongs to no customer. */
const PROBE = 'probe';
const PROBE_WINDOW: QuotaWindow = { name: PROBE, ttl: 1000 };
/** Larger than any time in milliseconds and any count, but small enough to be exact as a Lua number. */
const MAX_NUMBER = 1e14;

/**
 * Each bucket is a hash with the hits of each window and its end by the clock of Redis. KEYS: the bucket. ARGV: the
 * number to add (0 or 1), the latest time at which to add it (0: any time), then the length of each window in
 * milliseconds.
 *
 * The script replaces a key of another type. It starts a window again if the window has ended, if its end is further
 * away than its length, or if one of its numbers is not a number that this script writes. If Redis was hanging and runs
 * the script too late, the script adds nothing: the caller has already counted the request elsewhere.
 */
const COUNT = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local add, latest = tonumber(ARGV[1]), tonumber(ARGV[2])
if latest > 0 and now > latest then return {now} end
local function whole(text)
  local number = tonumber(text or 0)
  return number and number >= 0 and number < ${MAX_NUMBER} and number == math.floor(number) and number or nil
end
local fields = {}
for i = 3, #ARGV do
  fields[#fields + 1] = 'hits:' .. ARGV[i]
  fields[#fields + 1] = 'ends:' .. ARGV[i]
end
local kept = redis.pcall('HMGET', KEYS[1], unpack(fields))
if kept.err then
  if not string.find(kept.err, 'WRONGTYPE', 1, true) then return kept end
  if add > 0 then redis.call('DEL', KEYS[1]) end
  kept = {}
end
local result, values, last = {now}, {}, 0
for i = 1, #fields, 2 do
  local ttl = tonumber(ARGV[2 + (i + 1) / 2])
  local hits, ends = whole(kept[i]), whole(kept[i + 1])
  if not (hits and ends and now < ends and ends <= now + ttl) then hits, ends = 0, now + ttl end
  hits = hits + add
  if ends > last then last = ends end
  result[i + 1], result[i + 2] = hits, ends
  values[2 * i - 1], values[2 * i] = fields[i], hits
  values[2 * i + 1], values[2 * i + 2] = fields[i + 1], ends
end
if add > 0 then
  redis.call('HSET', KEYS[1], unpack(values))
  redis.call('PEXPIREAT', KEYS[1], last)
end
return result`;

/** Counts in Redis, which all replicas share. Each request takes one round trip and one atomic step. */
export class RedisQuotaStorage extends ThrottlerQuotaStorage {
  private readonly redis: Redis;
  /** The last error message of Redis or of the network; undefined while the connection works. */
  lastError?: string;
  /** Upper bound of the clock of Redis minus our monotonic clock, in milliseconds. Undefined until the first reply. */
  private clockAhead?: number;

  /**
   * @param replyTimeoutMs milliseconds after which the caller of {@link hit} counts elsewhere
   * @param ca certificates (PEM) to trust for `rediss://` instead of the public ones
   */
  constructor(
    url: string,
    private readonly replyTimeoutMs: number,
    ca?: string,
  ) {
    super();
    this.redis = new Redis(url, {
      lazyConnect: true,
      ...(ca && { tls: { ca } }),
      // If Redis cannot count a request now, this process counts it, so no command may be queued for later.
      enableOfflineQueue: false,
      autoResendUnfulfilledCommands: false,
      maxRetriesPerRequest: 0,
      connectTimeout: 1000,
      keepAlive: TCP_KEEP_ALIVE_MS,
      socketTimeout: 5000,
      retryStrategy: (attempt) => Math.min(attempt * 50, 500),
      // The primary became a replica: connect again to the server that the address names now.
      reconnectOnError: ({ message }) => message.startsWith('READONLY'),
    });
    this.redis.on('error', ({ message, code }: NodeJS.ErrnoException) => (this.lastError = message || code));
    this.redis.on('ready', () => (this.lastError = undefined));
  }

  hit(bucket: string, windows: readonly QuotaWindow[]): Promise<BucketCount> {
    return this.count(bucket, 1, windows);
  }

  read(bucket: string, windows: readonly QuotaWindow[]): Promise<BucketCount> {
    return this.count(bucket, 0, windows);
  }

  /** Starts to connect, and retries in the background. */
  async start(): Promise<void> {
    this.redis.connect().catch(() => undefined);
  }

  /** Resolves if Redis can count. Another command might succeed although a permission for counting is missing. */
  async probe(): Promise<void> {
    await this.count(PROBE, 1, [PROBE_WINDOW]);
  }

  /** Resolves if Redis replies. */
  async readClock(): Promise<void> {
    const sent = performance.now();
    const [seconds, microseconds] = await this.redis.time();
    this.clockAhead = seconds! * 1000 + microseconds! / 1000 - sent;
  }

  /** Drops the connection with its pending commands, and opens a new one. */
  reconnect(): void {
    if (this.redis.status === 'ready') this.redis.disconnect(true);
  }

  close(): void {
    this.redis.disconnect();
  }

  /** @param until monotonic time at which the caller stops waiting; Redis must not add a hit after it */
  private async count(
    bucket: string,
    add: 0 | 1,
    windows: readonly QuotaWindow[],
    until = performance.now() + this.replyTimeoutMs,
  ): Promise<BucketCount> {
    const sent = performance.now();
    const latest = add && this.clockAhead !== undefined ? Math.ceil(until + this.clockAhead) : 0;
    const args = [PREFIX + bucket, add, latest, ...windows.map(({ ttl }) => ttl)];
    // Sends the text of the script, not its hash: if Redis forgot the hash, a second round trip would take too long.
    const [now, ...pairs] = (await this.redis.eval(COUNT, 1, ...args)) as number[];
    const inTime = performance.now() < until;
    if (!pairs.length && !inTime) throw new Error('Redis processed this request too late');
    // Compares with the time of sending, because this process may read the reply much later than Redis sent it.
    this.clockAhead = now! - sent;
    // Redis replied in time, but by its own clock it was too late, so that clock was set forward.
    if (!pairs.length) return this.count(bucket, add, windows, until);
    return {
      now: now!,
      counts: windows.map((_, index) => ({ hits: pairs[2 * index]!, endsAt: pairs[2 * index + 1]! })),
    };
  }
}
