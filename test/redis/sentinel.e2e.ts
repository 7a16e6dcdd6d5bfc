import { readFileSync } from 'node:fs';
import { FailoverQuotaStorage } from '../../src/quota/failover-quota-storage.js';
import { MemoryQuotaStorage } from '../../src/quota/memory-quota-storage.js';
import { RedisQuotaStorage } from '../../src/quota/redis-quota-storage.js';
import { makeCertificate } from '../support/certificate.js';
import { documentedAccount } from '../support/documented-account.js';
import { forge, quotaDatabase } from '../support/quota-bench.js';
import { RedisSentinels } from '../support/redis-sentinels.js';
import type { RedisServer } from '../support/redis-server.js';
import { lossesOf, type Replica, sendAtOnce, startReplicas, statuses, stopReplicas } from '../support/replicas.js';
import { SteadyLoad } from '../support/steady-load.js';
import type { TestDatabase } from '../support/test-service.js';
import { until } from '../support/until.js';

const PLENTY = { rpm: 1_000_000, rph: 1_000_000 };

const counted = (server: RedisServer, customer: string) =>
  server.run('HGET', `customer-data:quota:customer:${customer}`, 'hits:60000');

describe('two replicas of the service behind three Sentinels', () => {
  let database: TestDatabase;
  let sentinels: RedisSentinels;
  let replicas: Replica[];
  /** The servers that neither hang nor were killed. */
  let running: Set<RedisServer>;
  beforeAll(async () => {
    database = await quotaDatabase();
    sentinels = await RedisSentinels.start();
    running = new Set(sentinels.servers);
    replicas = await startReplicas(2, database, { REDIS_URL: sentinels.url, LOG_REQUESTS: 'false' });
  });
  afterAll(async () => {
    await stopReplicas(replicas);
    await sentinels.remove();
    await database.drop();
  });

  test('a Sentinel in a redis:// URL is refused with the fix (decision 184)', async () => {
    const storage = new FailoverQuotaStorage(
      new RedisQuotaStorage(sentinels.urlOfSentinel, 5000),
      new MemoryQuotaStorage(),
    );
    await expect(storage.start()).rejects.toThrow(/names a Sentinel .* write redis\+sentinel:\/\//);
    storage.close();
  });

  const losses = () => lossesOf(replicas).map(({ lost }) => lost);
  const allBack = () => until('Redis is back', () => lossesOf(replicas).every(({ lost, back }) => lost === back));

  /** Returns the statuses of 100 requests of the first customer during which no replica loses Redis, and their count. */
  async function burst(customers: readonly string[]): Promise<object> {
    const before = losses();
    const responses = await sendAtOnce(100, replicas, { token: forge(customers[0]!) });
    const outcome = { ...statuses(responses), counted: await counted(await sentinels.master(), customers[0]!) };
    if (customers.length === 1 || before.join() === losses().join()) return outcome;
    await allBack();
    return burst(customers.slice(1));
  }

  test.each<[string, (master: RedisServer) => unknown]>([
    ['is exchanged in a planned failover', () => sentinels.failOver()],
    ['hangs', (master) => running.delete(master) && master.pause()],
    ['is killed', (master) => running.delete(master) && master.stop('SIGKILL')],
  ])(
    'if the master %s, no request is refused or fails, and the promoted replica continues its counts (decision 184)',
    async (name, end) => {
      const customers = [1, 2, 3].map((number) => `${number}-${name.replaceAll(' ', '-')}`);
      const old = await sentinels.master();
      await allBack();
      // A busy machine may lose Redis in between, and then counts some of the requests elsewhere.
      for (const customer of customers)
        await until('Redis has counted 20 requests', async () => {
          const missing = 20 - Number(await counted(old, customer));
          await sendAtOnce(missing, replicas, { token: forge(customer) });
          return missing === 0;
        });
      for (const server of running)
        for (const customer of customers)
          await until('each server has the counts', async () => (await counted(server, customer)) === '20');

      const before = losses();
      const urls = replicas.map(({ url }) => url);
      const load = new SteadyLoad(urls, { token: forge('BUSY', PLENTY) });
      await end(old);
      await until('another master', async () => (await sentinels.master()) !== old);
      await until('each replica lost Redis', () => losses().every((lost, index) => lost > before[index]!));
      await allBack();
      await load.stop();
      const { statuses: seen, responses } = load.outcome(...urls);
      expect(seen).toEqual([200]);
      expect(responses).toBeGreaterThan(100);
      expect(await burst(customers)).toEqual({ 200: 40, 429: 60, counted: '120' });
      for (const { process } of replicas) expect(process.output).not.toContain('password');
    },
  );
});

/** Connects a storage. Returns the counts of two requests, or why Redis cannot count. */
async function twoHits(url: string, ca?: string): Promise<number[] | string> {
  const storage = new RedisQuotaStorage(url, 5000, ca);
  const windows = [{ name: 'long', ttl: 60_000 }];
  const hits = async () => (await storage.hit('bucket', windows)).counts[0]!.hits;
  try {
    await storage.start();
    return await until('the storage counts or fails', async () => {
      const isReady = await storage.probe().then(
        () => true,
        () => false,
      );
      return isReady ? [await hits(), await hits()] : storage.lastError;
    });
  } finally {
    storage.close();
  }
}

describe('Sentinels with TLS (decisions 184, 186)', () => {
  let sentinels: RedisSentinels;
  let certificate: Awaited<ReturnType<typeof makeCertificate>>;
  let ca: string;
  beforeAll(async () => {
    certificate = await makeCertificate();
    ca = readFileSync(certificate.certificate, 'utf8');
    sentinels = await RedisSentinels.start(certificate);
  });
  afterAll(async () => {
    await sentinels.remove();
    certificate.remove();
  });

  test.each<[string, () => Promise<unknown>, RegExp]>([
    [
      'a certificate of another authority',
      () => twoHits(sentinels.url),
      /self-signed certificate|Connection is closed/,
    ],
    [
      'a wrong password of the Sentinels',
      () => twoHits(sentinels.urlWith({ sentinelPassword: 'wrong' }), ca),
      /failed to connect to sentinel localhost:\d+ because WRONGPASS/,
    ],
    [
      'an unknown master',
      () => twoHits(sentinels.urlWith({ master: 'others' }), ca),
      /connected to sentinel localhost:\d+ successfully, but got an invalid reply: null/,
    ],
  ])('report %s', async (_name, attempt, problem) => {
    expect(await attempt()).toMatch(problem);
  });

  test('count with the documented account of the Sentinels, and not with fewer permissions', async () => {
    const { args, commands } = documentedAccount('Sentinel');
    await sentinels.runOnSentinels('ACL', 'SETUSER', 'customer-data', ...args);
    const url = sentinels.urlWith({ sentinelUsername: 'customer-data', sentinelPassword: 'PASSWORD' });
    expect(await twoHits(url, ca)).toEqual([1, 2]);
    expect(commands).toHaveLength(1);
    await sentinels.runOnSentinels('ACL', 'SETUSER', 'customer-data', `-${commands[0]!}`);
    expect(await twoHits(url, ca)).toMatch(/failed to connect to sentinel localhost:\d+ because NOPERM/);
  });

  test('count over encrypted connections, before and after a failover', async () => {
    expect(await twoHits(sentinels.url, ca)).toEqual([3, 4]);
    const master = await sentinels.master();
    for (const server of sentinels.servers)
      await until('each server has the counts', async () => {
        return (await server.run('HGET', 'customer-data:quota:bucket', 'hits:60000')) === '4';
      });
    await master.stop('SIGKILL');
    await until('another master', async () => (await sentinels.master()) !== master);
    expect(await twoHits(sentinels.url, ca)).toEqual([5, 6]);
  });
});
