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

/** Uses the Redis of TEST_REDIS_URL if it is set. The tests do not stop it and touch only its quota keys. */
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
  await deleteWindows();
  await server?.remove();
});

const redis = (command: string, ...args: (string | number)[]) => runOn(url, command, ...args);

/** Deletes all quota keys, so that all windows are new. The clock of Redis cannot be changed here. */
async function deleteWindows(): Promise<void> {
  const keys = (await redis('KEYS', `${KEYS}*`)) as string[];
  if (keys.length) await redis('DEL', ...keys);
}

quotaSuite(() => bench, deleteWindows);

describe('four replicas on one Redis', () => {
  let replicas: Replica[];
  const start = async () => void (replicas = await startReplicas(4, bench.database, { REDIS_URL: url }));
  beforeEach(start);
  afterEach(() => stopReplicas(replicas));

  /**
   * Sends 2,000 concurrent requests to replicas that have just started, then 2,000 of another customer. On a busy
   * machine Redis may be slow, and the replicas correctly count on their own. The test repeats such an attempt.
   */
  async function bursts(attempts = 5): Promise<object[]> {
    // Gives Redis priority over the replicas, as if it ran on a separate machine.
    for (const { process } of replicas) process.yield();
    // The first request finds no script in Redis.
    await redis('SCRIPT', 'FLUSH');
    const results: object[] = [];
    for (const customer of [A, B]) {
      const responses = await sendAtOnce(2000, replicas, { token: forge(customer) });
      const bucket = (await redis('HVALS', `${KEYS}customer:${customer}`)) as string[];
      results.push({ ...statuses(responses), counted: bucket.filter((value) => Number(value) < 1_000_000) });
    }
    if (attempts === 1 || lossesOf(replicas).every(({ lost }) => !lost)) return results;
    await stopReplicas(replicas);
    await deleteWindows();
    await start();
    return bursts(attempts - 1);
  }

  test('admit exactly 60 of 2,000 concurrent requests, as their very first ones and later (decisions 23, 27)', async () => {
    const exact = { 200: 60, 429: 1940, counted: ['2000', '2000'] };
    expect(await bursts()).toEqual([exact, exact]);
  }, 240_000);

  test('keep one bucket with a time to live in Redis for 10,000 distinct junk tokens (faults.md)', async () => {
    const requests = Array.from({ length: 10_000 }, (_, index) => ({ path: '/stock', token: `junk-${index}` }));
    const responses = await sendOver(20, replicas[0]!.url, requests);
    expect(statuses(responses)).toEqual({ 401: 60, 429: 9940 });
    expect(await redis('KEYS', `${KEYS}*`)).toEqual([`${KEYS}anonymous`]);
    expect(await redis('PTTL', `${KEYS}anonymous`)).toBeGreaterThan(3_500_000);
  });
});

test('every key expires when its last window ends (faults.md: rows that grow)', async () => {
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
