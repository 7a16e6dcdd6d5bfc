import { call } from '../support/http-call.js';
import { quotaDatabase } from '../support/quota-bench.js';
import { RedisServer } from '../support/redis-server.js';
import { startReplicas, stopReplicas } from '../support/replicas.js';
import { ServiceProcess } from '../support/service-process.js';
import type { TestDatabase } from '../support/test-service.js';

const CLUSTER = { 'cluster-enabled': 'yes' };

let database: TestDatabase;
let redis: RedisServer;
beforeAll(async () => {
  database = await quotaDatabase();
  redis = await RedisServer.create();
});
afterEach(() => redis.stop());
afterAll(async () => {
  await redis.remove();
  await database.drop();
});

test('the service does not start with a Redis Cluster, and names the fix (decision 184)', async () => {
  await redis.start(CLUSTER);
  const settings = { DATABASE_URL: database.url, DEMO_DATA: 'false', REDIS_URL: redis.url };
  const service = ServiceProcess.start(settings, database.folder);
  expect(await service.exit()).toBe(1);
  expect(service.output).toMatch(
    /^Invalid settings:\n {2}REDIS_URL names a server of a Redis Cluster.*: name a server without cluster mode.*\n$/m,
  );
});

test('a running service reports that Redis became a cluster once, and counts on its own (decision 184)', async () => {
  await redis.start({ maxmemory: '100mb', 'maxmemory-policy': 'volatile-lru' });
  const [replica] = await startReplicas(1, database, { REDIS_URL: redis.url, LOG_FORMAT: 'json' });
  const { url, managementUrl, process } = replica!;
  try {
    await process.printing(/may evict counts .*maxmemory-policy volatile-lru/);
    await redis.stop();
    await redis.start(CLUSTER);
    await process.printing(/REDIS_URL names a server of a Redis Cluster.*this replica counts quotas on its own/);
    for (const _ of [1, 2, 3]) expect((await call(url)).status).toBe(200);
    const degraded = async () =>
      /^customer_data_quota_store_degraded (\d)$/m.exec((await call(managementUrl, { path: '/metrics' })).body)?.[1];
    expect(await degraded()).toBe('1');
    await redis.stop();
    await redis.start();
    await process.printing(/Redis is back/);
    // Only after a minute without another loss.
    expect(await degraded()).toBe('1');
    expect(process.output.split('Redis Cluster')).toHaveLength(2);
    expect(process.log.filter(({ level }) => level === 'warn')).toHaveLength(1);
  } finally {
    await stopReplicas([replica!]);
  }
});
