import { setTimeout as sleep } from 'node:timers/promises';
import { call, left } from '../support/http-call.js';
import { forge, quotaDatabase } from '../support/quota-bench.js';
import { RedisServer } from '../support/redis-server.js';
import { lossesOf, type Replica, sendAtOnce, startReplicas, statuses, stopReplicas } from '../support/replicas.js';
import { SteadyLoad } from '../support/steady-load.js';
import type { TestDatabase } from '../support/test-service.js';
import { until } from '../support/until.js';

/**
 * The longest time by which an outage may delay a request (issue 3): 100 ms of waiting, plus the time to count
 * elsewhere.
 */
const MOST_MS = 150;
const OUTAGE_MS = 1200;
const PLENTY = { rpm: 1_000_000, rph: 1_000_000 };

let database: TestDatabase;
let redis: RedisServer;
let replicas: Replica[];
/** A replica without Redis. Its response times under the same load are the noise of this machine. */
let control: Replica;
beforeAll(async () => {
  database = await quotaDatabase();
  redis = await RedisServer.create();
  await redis.start();
  replicas = await startReplicas(2, database, { REDIS_URL: redis.url });
  [control] = (await startReplicas(1, database, {})) as [Replica];
});
afterAll(async () => {
  await stopReplicas([...replicas, control]);
  await redis.remove();
  await database.drop();
});

/** Returns how many requests of the customer Redis counted in the minute. */
const counted = async (customer: string) =>
  Number(await redis.run('HGET', `customer-data:quota:customer:${customer}`, 'hits:60000'));

const allBack = () => until('Redis is back', () => lossesOf(replicas).every(({ lost, back }) => lost === back));

interface Outage {
  begin: () => unknown;
  end?: () => unknown;
  /** The minimum number of times that each replica loses Redis; 1 by default. */
  lost?: number;
}
let asleep: Promise<unknown>;
const paused: Outage = { begin: () => redis.pause(), end: () => redis.resume() };
const hung: Outage = {
  begin: async () => {
    asleep = redis.run('DEBUG', 'SLEEP', OUTAGE_MS / 1000);
    await sleep(50); // by then it sleeps
  },
  end: () => asleep,
};
const readOnly: Outage = {
  begin: () => redis.run('REPLICAOF', '127.0.0.1', '1'),
  end: () => redis.run('REPLICAOF', 'NO', 'ONE'),
};
const OUTAGES: [string, Outage][] = [
  ['stopped, and started later', { begin: () => redis.stop(), end: () => redis.start() }],
  ['killed, and started later', { begin: () => redis.stop('SIGKILL'), end: () => redis.start() }],
  ['restarted', { begin: () => redis.stop().then(() => redis.start()) }],
  ['paused by SIGSTOP', paused],
  ['hung by DEBUG SLEEP', hung],
  ['made read-only, and promoted back', readOnly],
  [
    'out of memory',
    {
      begin: () => redis.run('CONFIG', 'SET', 'maxmemory', '1'),
      end: () => redis.run('CONFIG', 'SET', 'maxmemory', '0'),
    },
  ],
  ['closing every connection', { begin: () => redis.run('CLIENT', 'KILL', 'TYPE', 'normal') }],
  ['without its scripts', { begin: () => redis.run('SCRIPT', 'FLUSH'), lost: 0 }],
];

/** Sends 200 concurrent requests. If a busy machine loses Redis during this time, the test repeats the attempt. */
async function burst(customer: string, attempts = 5): Promise<Record<string, number>> {
  const before = JSON.stringify(lossesOf(replicas));
  const responses = await sendAtOnce(200, replicas, { token: forge(customer) });
  const outcome = { ...statuses(responses), counted: await counted(customer) };
  if (attempts === 1 || JSON.stringify(lossesOf(replicas)) === before) return outcome;
  await allBack();
  return burst(`${customer}-`, attempts - 1);
}

test.each(OUTAGES)(
  'with Redis %s under load, requests are neither refused nor delayed, one loss is logged, and later counts are exact (decision 27)',
  async (name, { begin, end, lost = 1 }) => {
    await allBack();
    const before = lossesOf(replicas);
    const urls = replicas.map(({ url }) => url);
    const load = new SteadyLoad([...urls, control.url], { token: forge('BUSY', PLENTY) });
    await sleep(OUTAGE_MS);
    const usual = load.outcome(...urls);
    await begin();
    await sleep(OUTAGE_MS);
    await end?.();
    await allBack();
    await sleep(OUTAGE_MS / 2);
    await load.stop();
    const outcome = load.outcome(...urls);
    expect(outcome.statuses).toEqual([200]);
    expect(outcome.responses).toBeGreaterThan(200);
    // Other load on this machine slows down all responses, even without Redis. Twice that noise is tolerated.
    const noise = Math.max(usual.longest, load.outcome(control.url).longest);
    expect(outcome.longest - 2 * noise).toBeLessThan(MOST_MS);
    await allBack();
    // A busy machine may lose Redis once more, but no loss may be logged twice.
    for (const [index, losses] of lossesOf(replicas).entries()) {
      expect(losses.back).toBe(losses.lost);
      expect(losses.lost).toBeGreaterThanOrEqual(before[index]!.lost + lost);
      expect(losses.reportedTwice).toBe(false);
    }

    expect(await burst(`AFTER-${name.replaceAll(/\W/g, '-')}`)).toEqual({ 200: 60, 429: 140, counted: 200 });
  },
);

test.each([
  ['scripts', '@scripting'],
  ['a command of the script', 'hset'],
])('a Redis that forbids %s is not back until it permits them again (decision 126)', async (_name, commands) => {
  await allBack();
  const backBefore = lossesOf(replicas).map(({ back }) => back);
  await redis.run('ACL', 'SETUSER', 'default', `-${commands}`);
  const load = new SteadyLoad(
    replicas.map(({ url }) => url),
    { token: forge('FORBIDDEN', PLENTY) },
  );
  await sleep(OUTAGE_MS);
  const back = lossesOf(replicas).map((losses) => losses.back);
  await redis.run('ACL', 'SETUSER', 'default', `+${commands}`);
  await load.stop();
  await allBack();
  expect(back).toEqual(backBefore);
  for (const { process } of replicas) expect(process.output).toMatch(/Redis is lost \(.*permission/);
});

test.each<[string, Outage]>([
  ['paused', paused],
  ['hung', hung],
  ['read-only', readOnly],
])(
  'requests that were sent while Redis was %s are not counted there later (faults.md: counts replayed)',
  async (name, outage) => {
    await allBack();
    const customer = `DURING-${name}`;
    const request = { token: forge(customer, PLENTY) };
    await sendAtOnce(20, replicas, request);
    expect(await counted(customer)).toBe(20);
    await outage.begin();
    const sent: Promise<unknown>[] = [];
    for (const end = Date.now() + OUTAGE_MS - 200; Date.now() < end; await sleep(20))
      sent.push(sendAtOnce(2, replicas, request));
    await Promise.all(sent);
    await outage.end?.();
    await allBack();
    // By now all pending commands have reached Redis.
    await sleep(500);
    expect(await counted(customer)).toBe(20);
    await sendAtOnce(10, replicas, request);
    expect(await counted(customer)).toBe(30);
  },
);

test.each<[string, (server: RedisServer) => Promise<void>, (server: RedisServer) => unknown]>([
  ['down', async () => undefined, (server) => server.start()],
  ['hanging', (server) => server.start().then(() => server.pause()), (server) => server.resume()],
])(
  'a replica that starts while Redis is %s becomes ready, and counts in Redis as soon as possible (issue 3)',
  async (_name, before, recover) => {
    const server = await RedisServer.create();
    await before(server);
    const own = await startReplicas(1, database, { REDIS_URL: server.url });
    try {
      const [replica] = own as [Replica];
      const ready = async () => (await call(replica.managementUrl, { path: '/readyz' })).status === 200;
      await until('the replica is ready', ready);
      const request = { token: forge('EARLY') };
      for (const remaining of [59, 58]) expect(left(await call(replica.url, request))).toBe(remaining);
      expect(lossesOf(own)).toEqual([{ lost: 1, back: 0, reportedTwice: false }]);
      await recover(server);
      await until('Redis is back', () => lossesOf(own)[0]!.back === 1);
      expect(left(await call(replica.url, request))).toBe(59);
      expect(await server.run('HGET', 'customer-data:quota:customer:EARLY', 'hits:60000')).toBe('1');
      // The shutdown of the replica does not wait for Redis either.
      server.pause();
      expect(await replica.process.stop()).toBe(0);
    } finally {
      await stopReplicas(own);
      await server.remove();
    }
  },
);
