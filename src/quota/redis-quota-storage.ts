import { Redis, type RedisOptions } from 'ioredis';
import { parseSentinelUrl, type SentinelUrl } from '../config/sentinel-url.js';
import { SettingsError } from '../config/settings-error.js';
import { TCP_KEEP_ALIVE_MS } from '../config/tcp-keep-alive.js';
import { ThrottlerQuotaStorage } from './quota-storage.js';
import type { BucketCount, QuotaWindow } from './quota-window.js';

const PREFIX = 'customer-data:quota:';
/** The bucket of probes, which belongs to no customer. */
const PROBE = 'probe';
const PROBE_WINDOW: QuotaWindow = { name: PROBE, ttl: 1000 };
/** Larger than any time in milliseconds and any count, but small enough to be exact as a Lua number. */
const MAX_NUMBER = 1e14;

/** Timeouts in milliseconds: for a connection, for data while a command is pending, for the end of a connection. */
const CONNECT_TIMEOUT_MS = 1000;
const SOCKET_TIMEOUT_MS = 2000;
const DISCONNECT_TIMEOUT_MS = 250;

/** Modes of a server in which it cannot count, with the problem and its fix. */
const UNSUPPORTED_MODES = new Map([
  [
    'cluster',
    'REDIS_URL names a server of a Redis Cluster, which is not supported, because each server of a cluster keeps only some of the counts: name a server without cluster mode (cluster-enabled no), or Sentinels (redis+sentinel://…)',
  ],
  [
    'sentinel',
    'REDIS_URL names a Sentinel as if it were the Redis that counts: write redis+sentinel://host:port,host:port/master',
  ],
]);

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
  /** Why Redis refused the database of the URL. It then uses database 0, where another service may count. */
  private databaseError?: Error;
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
    const sentinels = parseSentinelUrl(url);
    const options: RedisOptions = {
      lazyConnect: true,
      ...(ca && { tls: { ca } }),
      // Both would need further permissions. The probe shows whether the server can count.
      enableReadyCheck: false,
      disableClientInfo: true,
      // If Redis cannot count a request now, this process counts it, so no command may be queued for later.
      enableOfflineQueue: false,
      autoResendUnfulfilledCommands: false,
      maxRetriesPerRequest: 0,
      connectTimeout: CONNECT_TIMEOUT_MS,
      keepAlive: TCP_KEEP_ALIVE_MS,
      // Another server may have replaced one that hangs. The next connection finds it.
      socketTimeout: SOCKET_TIMEOUT_MS,
      disconnectTimeout: DISCONNECT_TIMEOUT_MS,
      retryStrategy,
      // The server is no longer the master: connect again to the server that the address or the Sentinels name now.
      reconnectOnError: ({ message }) => /^(READONLY|NOREPLICAS)/.test(message),
    };
    this.redis = sentinels ? new Redis({ ...options, ...sentinelOptions(sentinels, ca) }) : new Redis(url, options);
    this.redis.on('connect', () => (this.databaseError = undefined));
    this.redis.on('error', (error: NodeJS.ErrnoException & { command?: { name: string } }) => {
      const { message, code, command } = error;
      if (command?.name === 'select') this.databaseError = error;
      // ioredis emits this error after those of the Sentinels. It lacks their reasons, so it must not replace them.
      if (!message.startsWith('All sentinels are unreachable')) this.lastError = message || code;
    });
    this.redis.on('sentinelError', ({ message }: Error) => (this.lastError = message));
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

  /**
   * Resolves if Redis can count. Another command might succeed although a permission for counting is missing.
   * @throws {SettingsError} if this kind of server can never count
   */
  async probe(): Promise<void> {
    const [mode, counted] = await Promise.allSettled([this.checkMode(), this.count(PROBE, 1, [PROBE_WINDOW])]);
    for (const { reason } of [mode, counted] as Partial<PromiseRejectedResult>[]) if (reason) throw reason;
  }

  /**
   * Returns the policy by which Redis may remove counts before their windows end. Undefined: it never does, or the
   * account of `REDIS_URL` may not read the policy.
   */
  async evictionPolicy(): Promise<string | undefined> {
    const info = await this.redis.info('memory').catch(() => '');
    const isLimited = /^maxmemory:[1-9]/m.test(info);
    const policy = /^maxmemory_policy:(\S+)/m.exec(info)?.[1];
    return isLimited && policy !== 'noeviction' ? policy : undefined;
  }

  /**
   * Resolves if Redis replies.
   * @throws {SettingsError} if another kind of server has replaced it, which can never count
   */
  async watch(): Promise<void> {
    const sent = performance.now();
    const [[seconds, microseconds]] = await Promise.all([this.redis.time(), this.checkMode()]);
    this.clockAhead = seconds! * 1000 + microseconds! / 1000 - sent;
  }

  /** Drops the connection with its pending commands, and opens a new one. */
  reconnect(): void {
    if (this.redis.status === 'ready') this.redis.disconnect(true);
  }

  close(): void {
    this.redis.disconnect();
  }

  /** @throws {SettingsError} if the server runs in a mode in which it can never count */
  private async checkMode(): Promise<void> {
    // Redis permits this command to every account. A Redis before version 6 and some proxies do not know it.
    const reply = (await this.redis.call('HELLO').catch(() => [])) as unknown[];
    const problem = UNSUPPORTED_MODES.get(String(reply[reply.indexOf('mode') + 1]));
    if (problem) throw new SettingsError([problem]);
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
    // Redis has already replied to SELECT, so its error is known.
    if (this.databaseError) throw this.databaseError;
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

function retryStrategy(attempt: number): number {
  return Math.min(attempt * 50, 500);
}

/** The Sentinels name the current master for each connection. */
function sentinelOptions({ encrypted, sentinels, ...names }: SentinelUrl, ca?: string): RedisOptions {
  const tls = { ca };
  return {
    ...names,
    sentinels: [...sentinels],
    // The URL names all Sentinels. Otherwise the account on them would need a further permission.
    updateSentinels: false,
    sentinelCommandTimeout: CONNECT_TIMEOUT_MS,
    sentinelRetryStrategy: retryStrategy,
    ...(encrypted && { tls, sentinelTLS: tls, enableTLSForSentinelMode: true }),
  };
}
