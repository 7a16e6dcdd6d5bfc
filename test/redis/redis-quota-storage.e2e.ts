import { setTimeout as sleep } from 'node:timers/promises';
import { RedisQuotaStorage } from '../../src/quota/redis-quota-storage.js';
import { judge, type Verdict } from '../../src/quota/verdict.js';
import { RedisServer } from '../support/redis-server.js';
import { TcpProxy } from '../support/tcp-proxy.js';
import { throttlerSuite } from '../support/throttler-suite.js';
import { until } from '../support/until.js';

/** Short windows, so that the tests can wait for their end. */
const WINDOWS = [
  { name: 'short', ttl: 1000, limit: 3 },
  { name: 'long', ttl: 3000, limit: 8 },
];
const KEY = (bucket: string) => `customer-data:quota:${bucket}`;
/** Long, because Redis may be slow on a busy machine, and these tests have no other storage. */
const REPLY_TIMEOUT_MS = 60_000;

let server: RedisServer;
let storage: RedisQuotaStorage;
beforeAll(async () => {
  server = await RedisServer.create();
  await server.start();
  storage = new RedisQuotaStorage(server.url, REPLY_TIMEOUT_MS);
  await storage.start();
  while (
    !(await storage
      .probe()
      .then(Boolean, () => true)
      .then((failed) => !failed))
  )
    await sleep(20);
});
afterAll(async () => {
  storage.close();
  await server.remove();
});

const meter = async (bucket: string): Promise<Verdict> => judge(WINDOWS, await storage.hit(bucket, WINDOWS));
const hashOf = async (bucket: string) => {
  const flat = (await server.run('HGETALL', KEY(bucket))) as string[];
  return Object.fromEntries(flat.map((name, index) => [name, Number(flat[index + 1])]).filter((_, i) => i % 2 === 0));
};

test('clients in 100 phases that wait exactly Retry-After are admitted, whichever window refused (decision 24)', async () => {
  const named = new Set<string>();
  /** Starts at its own time, sends requests until one is refused, then waits exactly Retry-After. */
  async function client(phase: number): Promise<boolean[]> {
    const next: boolean[] = [];
    await sleep((phase * 37) % 1000);
    for (let round = 0; round < 4; round++) {
      let verdict = await meter(`phase ${phase}`);
      while (verdict.admitted) {
        await sleep((phase * 53 + round * 29) % 200);
        verdict = await meter(`phase ${phase}`);
      }
      named.add(verdict.window.name);
      await sleep(verdict.retryAfter * 1000);
      next.push((await meter(`phase ${phase}`)).admitted);
    }
    return next;
  }
  const outcomes = await Promise.all(Array.from({ length: 100 }, (_, phase) => client(phase)));
  expect(outcomes).toEqual(outcomes.map(() => [true, true, true, true]));
  expect([...named].toSorted()).toEqual(['long', 'short']);
});

test('a window ends on time although a client polls continuously (decision 23)', async () => {
  const { endsAt } = await meter('polled');
  const verdicts: Verdict[] = [];
  for (let poll = 0; poll < 9; poll++) {
    verdicts.push(await meter('polled'));
    await sleep(50);
  }
  for (const verdict of verdicts.slice(0, 6)) expect(verdict.endsAt).toBe(endsAt);
  expect(verdicts.map(({ admitted }) => admitted)).toEqual([true, true, ...Array.from({ length: 7 }, () => false)]);
});

test('both windows count a refused request (decision 22)', async () => {
  for (let request = 0; request < 6; request++) await meter('refused');
  expect(await hashOf('refused')).toMatchObject({ 'hits:1000': 6, 'hits:3000': 6 });
});

test('concurrent requests are admitted exactly up to the limit (decision 23)', async () => {
  const verdicts = await Promise.all(Array.from({ length: 500 }, () => meter('at once')));
  expect(verdicts.filter(({ admitted }) => admitted)).toHaveLength(3);
});

test('reading counts nothing and creates no key', async () => {
  expect((await storage.read('never', WINDOWS)).counts.map(({ hits }) => hits)).toEqual([0, 0]);
  expect(await server.run('EXISTS', KEY('never'))).toBe(0);
  await meter('once');
  await storage.read('once', WINDOWS);
  expect((await storage.read('once', WINDOWS)).counts.map(({ hits }) => hits)).toEqual([1, 1]);
});

async function expectNewWindows(bucket: string): Promise<void> {
  const before = Date.now();
  const { admitted, remaining, endsAt } = await meter(bucket);
  expect([admitted, remaining]).toEqual([true, 2]);
  expect(endsAt - before).toBeGreaterThanOrEqual(1000);
  expect(endsAt - Date.now()).toBeLessThanOrEqual(1000);
  const left = await server.run('PTTL', KEY(bucket));
  expect(left).toBeGreaterThan(0);
  expect(left).toBeLessThanOrEqual(3000);
}

describe('a counter that would block forever is repaired (issue: a counter without an end)', () => {
  test.each<[string, string[]]>([
    ['no end', ['hits:1000', '99', 'hits:3000', '99']],
    ['an empty end', ['hits:1000', '99', 'ends:1000', '', 'hits:3000', '99', 'ends:3000', '']],
    ['an end that is text', ['hits:1000', '99', 'ends:1000', 'soon', 'hits:3000', '99', 'ends:3000', 'later']],
    [
      'an end in the year 2100',
      ['hits:1000', '9', 'ends:1000', '4102444800000', 'hits:3000', '9', 'ends:3000', '4102444800000'],
    ],
    ['an end long ago', ['hits:1000', '99', 'ends:1000', '1', 'hits:3000', '99', 'ends:3000', '-1']],
    ['hits that are not a number', ['hits:1000', 'many', 'ends:1000', '', 'hits:3000', 'nan', 'ends:3000', '']],
    [
      'an end that is not a number at all',
      ['hits:1000', '99', 'ends:1000', 'nan', 'hits:3000', '99', 'ends:3000', '-nan'],
    ],
    ['infinite hits', ['hits:1000', 'inf', 'ends:1000', 'SOON', 'hits:3000', '1e300', 'ends:3000', 'SOON']],
    ['hits below zero', ['hits:1000', '-5', 'ends:1000', 'SOON', 'hits:3000', '-inf', 'ends:3000', 'SOON']],
    [
      'hits that are not a whole number',
      ['hits:1000', '0.5', 'ends:1000', 'SOON', 'hits:3000', '1e-9', 'ends:3000', ''],
    ],
    [
      'an end that is too late because the clock was set back',
      ['hits:1000', '99', 'ends:1000', 'LATE', 'ends:3000', 'LATE'],
    ],
    ['an infinite end', ['hits:1000', '99', 'ends:1000', 'inf', 'hits:3000', '99', 'ends:3000', '1e300']],
    ['only unknown fields', ['something', 'else']],
  ])('with %s', async (name, fields) => {
    const times: Record<string, number> = { SOON: Date.now() + 900, LATE: Date.now() + 10_000 };
    await server.run('HSET', KEY(name), ...fields.map((field) => times[field] ?? field));
    await expectNewWindows(name);
  });

  test.each<[string, string, ...string[]]>([
    ['text', 'SET', 'x'],
    ['list', 'RPUSH', '1', '2'],
    ['set', 'SADD', 'hits:1000'],
    ['sorted set', 'ZADD', '1', 'hits:1000'],
    ['stream', 'XADD', '*', 'hits:1000', '1'],
    ['HyperLogLog', 'PFADD', '1'],
  ])('of the type %s (issue 14 §7)', async (type, command, ...values) => {
    await server.run(command, KEY(type), ...values);
    expect((await storage.read(type, WINDOWS)).counts.map(({ hits }) => hits)).toEqual([0, 0]);
    await expectNewWindows(type);
    expect((await meter(type)).remaining).toBe(1);
  });
});

test.each([-3_600_000, 3_600_000])(
  'adjusting the clock of Redis by %i ms loses no count (decision 121)',
  async (step) => {
    const bucket = `stepped by ${step}`;
    await meter(bucket);
    // Only our clock can be changed here, not the clock of Redis.
    const monotonic = performance.now.bind(performance);
    const moved = jest.spyOn(performance, 'now').mockImplementation(() => monotonic() - step);
    try {
      for (const remaining of [1, 0]) expect(await meter(bucket)).toMatchObject({ admitted: true, remaining });
    } finally {
      moved.mockRestore();
      await meter('set right');
    }
  },
);

test('a key expires at the end of its last window', async () => {
  await meter('expiring');
  expect(await server.run('EXISTS', KEY('expiring'))).toBe(1);
  await sleep(3100);
  expect(await server.run('EXISTS', KEY('expiring'))).toBe(0);
});

test.each([
  ['became a replica', ['REPLICAOF', '127.0.0.1', '1']],
  ['has no replica, with min-replicas-to-write 1', ['CONFIG', 'SET', 'min-replicas-to-write', '1']],
] as const)(
  'a storage whose server %s connects to the server that the address names now (decision 184)',
  async (_name, [command, ...args]) => {
    const [old, next] = await Promise.all([RedisServer.create(), RedisServer.create()]);
    await Promise.all([old.start(), next.start()]);
    const proxy = new TcpProxy(old.url);
    const moving = new RedisQuotaStorage(await proxy.reservedUrl(), REPLY_TIMEOUT_MS);
    const counts = () => moving.hit('moved', WINDOWS).then(Boolean, () => false);
    await proxy.open();
    await moving.start();
    try {
      await until('the old server counts', counts);
      proxy.moveTo(next.url);
      await old.run(command, ...args);
      await until('the new server counts', counts);
      expect(await next.run('EXISTS', KEY('moved'))).toBe(1);
    } finally {
      moving.close();
      proxy.close();
      await Promise.all([old.remove(), next.remove()]);
    }
  },
);

describe('RedisQuotaStorage under the ThrottlerGuard', () => {
  // Each test counts from 0.
  beforeEach(() => server.run('FLUSHALL'));
  throttlerSuite(() => storage);
});
