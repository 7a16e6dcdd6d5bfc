import { forge, QuotaBench } from '../support/quota-bench.js';
import { quotaSuite } from '../support/quota-suite.js';
import { RedisServer, runOn } from '../support/redis-server.js';
import {
  lossesOf,
  type Replica,
  sendAtOnce,
  sendOver,
  startReplicas,
  statuses,
  stopReplicas,
} from '../support/replicas.js';
import { A, B } from '../support/small-catalogue.js';

const KEYS = 'customer-data:quota:';

/** A given Redis will do: nothing here stops it, and of its keys only those of quotas are touched. */
let url = process.env.TEST_REDIS_URL ?? '';
let server: RedisServer | undefined;
let bench: QuotaBench;
beforeAll(async () => {
  if (!url) {
    server = await RedisServer.create();
    await server.start();
    url = server.url;
  }
  bench = await QuotaBench.start({ REDIS_URL: url });
});
afterAll(async () => {
  await bench.close();
  await forget();
  await server?.remove();
});

const redis = (command: string, ...args: (string | number)[]) => runOn(url, command, ...args);

/** New windows all round; time itself cannot be moved here. */
async function forget(): Promise<void> {
  const keys = (await redis('KEYS', `${KEYS}*`)) as string[];
  if (keys.length) await redis('DEL', ...keys);
}

quotaSuite(() => bench, forget);

describe('four replicas on one Redis', () => {
  let replicas: Replica[];
  const start = async () => void (replicas = await startReplicas(4, bench.database, { REDIS_URL: url }));
  beforeEach(start);
  afterEach(() => stopReplicas(replicas));

  /**
   * What becomes of 2,000 calls at once by replicas that have just started, then of 2,000 of another customer. Where the
   * whole machine is so busy that Redis is slow, replicas count for themselves, as they should: that proves nothing here.
   */
  async function bursts(attempts = 5): Promise<object[]> {
    // Redis goes before them, as it does on a machine of its own.
    for (const { process } of replicas) process.yield();
    // The first call finds no script in Redis.
    await redis('SCRIPT', 'FLUSH');
    const results: object[] = [];
    for (const customer of [A, B]) {
      const responses = await sendAtOnce(2000, replicas, { token: forge(customer) });
      const bucket = (await redis('HVALS', `${KEYS}customer:${customer}`)) as string[];
      results.push({ ...statuses(responses), counted: bucket.filter((value) => Number(value) < 1_000_000) });
    }
    if (attempts === 1 || lossesOf(replicas).every(({ lost }) => !lost)) return results;
    await stopReplicas(replicas);
    await forget();
    await start();
    return bursts(attempts - 1);
  }

  test('admit exactly 60 of 2,000 calls at once, as their very first ones and later (decisions 23, 27)', async () => {
    const exact = { 200: 60, 429: 1940, counted: ['2000', '2000'] };
    expect(await bursts()).toEqual([exact, exact]);
  }, 240_000);

  test('10,000 distinct junk tokens leave one bucket in Redis, and its time to live (faults.md)', async () => {
    const requests = Array.from({ length: 10_000 }, (_, index) => ({ path: '/stock', token: `junk-${index}` }));
    const responses = await sendOver(20, replicas[0]!.url, requests);
    expect(statuses(responses)).toEqual({ 401: 60, 429: 9940 });
    expect(await redis('KEYS', `${KEYS}*`)).toEqual([`${KEYS}anonymous`]);
    expect(await redis('PTTL', `${KEYS}anonymous`)).toBeGreaterThan(3_500_000);
  });
});

test('every key goes by itself when its last window ends (faults.md: rows that grow)', async () => {
  await bench.login(A);
  await bench.send();
  const keys = (await redis('KEYS', `${KEYS}*`)) as string[];
  expect(keys).toEqual(expect.arrayContaining([`${KEYS}customer:${A}`, `${KEYS}anonymous`]));
  for (const key of keys) {
    const left = await redis('PTTL', key);
    expect([key, left]).toEqual([key, expect.any(Number)]);
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThanOrEqual(3_600_000);
  }
});
