import { setTimeout as sleep } from 'node:timers/promises';
import { call } from '../support/http-call.js';
import { type Outage, play } from '../support/outage.js';
import { loadCustomers, OUTAGE_MS, OutageBench } from '../support/outage-bench.js';
import { forge, SECRET } from '../support/quota-bench.js';
import { RedisServer } from '../support/redis-server.js';
import { TcpProxy } from '../support/tcp-proxy.js';
import { TestDatabase } from '../support/test-service.js';

/** The longest that a request waits for Redis, in milliseconds (docs/decisions.md#27). */
const PATIENCE_MS = 100;

let redis: RedisServer;
let database: TestDatabase;
let proxy: TcpProxy;
let bench: OutageBench;
beforeAll(async () => {
  redis = await RedisServer.create();
  await redis.start();
  database = await TestDatabase.create();
  const logins = await loadCustomers(database);
  proxy = new TcpProxy(redis.url);
  const REDIS_URL = await proxy.reservedUrl();
  await proxy.open();
  bench = await OutageBench.start(database, { DATABASE_URL: database.url, REDIS_URL, JWT_SECRET: SECRET }, logins);
}, 120_000);
afterAll(async () => {
  await bench?.stop();
  proxy?.close();
  await redis?.remove();
  await database?.drop();
});

/** Every request returns its usual response, and waits no longer than this. */
const waits: Outage['waits'] = {
  count: PATIENCE_MS,
  lookup: PATIENCE_MS,
  download: PATIENCE_MS,
  probe: PATIENCE_MS,
};

let resetTimer: NodeJS.Timeout;
const lasts = OUTAGE_MS;

/** test/redis/outages.e2e.ts covers Redis and several replicas. This file covers what customers see. */
test.each<[string, Outage]>([
  ['refuses connections', { waits, lasts, begin: () => proxy.close(), end: () => proxy.open() }],
  ['hangs', { waits, lasts, begin: () => proxy.hang(), end: () => proxy.resume() }],
  ['is killed and started again', { waits, lasts, begin: () => redis.stop('SIGKILL'), end: () => redis.start() }],
  [
    'becomes read-only',
    {
      waits,
      lasts,
      begin: () => redis.run('REPLICAOF', '127.0.0.1', '1'),
      end: () => redis.run('REPLICAOF', 'NO', 'ONE'),
    },
  ],
  ['is slow', { waits, lasts, begin: () => (proxy.delay = PATIENCE_MS), end: () => (proxy.delay = 0) }],
  [
    'resets connections',
    {
      waits,
      lasts,
      begin: () => (resetTimer = setInterval(() => proxy.cut(), 20)),
      end: () => clearInterval(resetTimer),
    },
  ],
])(
  'an outage in which Redis %s affects no response, and Redis counts requests again soon after (decision 27)',
  async (name, outage) => {
    await untilRedisCounts();
    await play(`Redis ${name}`, bench, {
      ...outage,
      end: async () => {
        expect((await call(bench.managementUrl, { path: '/metrics' })).body).toContain('quota_store_degraded 1');
        await outage.end();
      },
    });
    await untilRedisCounts();
  },
);

let customers = 0;

/** Resolves when Redis has counted a request. On a busy machine the service may lose Redis for a moment. */
async function untilRedisCounts(): Promise<void> {
  const deadline = performance.now() + 10_000;
  for (; performance.now() < deadline; await sleep(100)) {
    const customer = `NEW-${customers++}`;
    expect((await call(bench.url, { token: forge(customer) })).status).toBe(200);
    if ((await redis.run('HGET', `customer-data:quota:customer:${customer}`, 'hits:60000')) === '1') return;
  }
  throw new Error('Redis was not used again within 10 s');
}
