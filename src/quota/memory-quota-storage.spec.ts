import type { Request, Response } from 'express';
import type { MeteredCustomer } from '../auth/identity.js';
import { IdentityMiddleware } from '../auth/identity.middleware.js';
import { JwtStrategy } from '../auth/jwt.strategy.js';
import { TokenDenylist } from '../auth/token-denylist.js';
import { SigningKeys } from '../auth/signing-keys.js';
import { readSettings } from '../config/settings.js';
import { MemoryQuotaStorage } from './memory-quota-storage.js';
import { QuotaMiddleware } from './quota.middleware.js';
import { QuotaService } from './quota.service.js';
import type { Verdict } from './verdict.js';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** The time of the system clock, which may be adjusted. */
let now: number;
/** The system clock minus the monotonic clock, which is never adjusted. */
let offset: number;
let storage: MemoryQuotaStorage;
beforeEach(() => {
  now = Date.UTC(2026, 3, 1, 12);
  offset = now;
  jest.spyOn(Date, 'now').mockImplementation(() => now);
  jest.spyOn(performance, 'now').mockImplementation(() => now - offset);
  storage = new MemoryQuotaStorage();
});
afterEach(() => jest.restoreAllMocks());

/** Adjusts the system clock by this number of milliseconds. */
function adjustClock(by: number): void {
  now += by;
  offset += by;
}

function quotas(perMinute = 60, perHour = 1000): QuotaService {
  const throttlers = [
    { name: '1m', ttl: MINUTE, limit: perMinute },
    { name: '1h', ttl: HOUR, limit: perHour },
  ];
  return new QuotaService({ throttlers }, storage);
}

const customer = (customerCode: string): MeteredCustomer => ({
  kind: 'customer',
  customerCode,
  requestsPerMinute: null,
  requestsPerHour: null,
});

async function meter(service: QuotaService, times: number, ofCustomer?: MeteredCustomer): Promise<Verdict[]> {
  const verdicts: Verdict[] = [];
  for (let request = 0; request < times; request++) verdicts.push(await service.meter(ofCustomer));
  return verdicts;
}

const admitted = (verdicts: Verdict[]) => verdicts.filter((verdict) => verdict.admitted).length;

test('the 61st request at second 30 is refused until exactly second 60 (decisions 23, 24)', async () => {
  const service = quotas();
  const start = now;
  expect(admitted(await meter(service, 60))).toBe(60);
  now = start + 30 * SECOND;
  expect(await service.meter()).toMatchObject({ admitted: false, retryAfter: 30, endsAt: start + MINUTE });
  now = start + MINUTE - 1;
  expect(await service.meter()).toMatchObject({ admitted: false, retryAfter: 1, endsAt: start + MINUTE });
  now = start + MINUTE;
  expect(await service.meter()).toMatchObject({ admitted: true, remaining: 59, endsAt: start + 2 * MINUTE });
});

test('a window starts with the first request that it counts, not on the minute of the clock (decision 23)', async () => {
  const service = quotas();
  await service.meter();
  now += MINUTE + 12_345;
  expect((await service.meter()).endsAt).toBe(now + MINUTE);
});

test('refused requests do not move the end of either window (decision 23)', async () => {
  const service = quotas(3, 50);
  const start = now;
  await meter(service, 3);
  for (; now < start + MINUTE; now += 2 * SECOND)
    expect(await service.meter()).toMatchObject({ admitted: false, window: { name: '1m' }, endsAt: start + MINUTE });
  expect((await service.meter()).admitted).toBe(true);
  await meter(service, 50);
  // In the last minute of the hour, a minute window may end after the hour window, and responses would name the minute
  // window. The loop stops before that minute.
  for (; now < start + HOUR - MINUTE; now += 20 * SECOND)
    expect(await service.meter()).toMatchObject({ admitted: false, window: { name: '1h' }, endsAt: start + HOUR });
  now = start + HOUR;
  expect((await service.meter()).admitted).toBe(true);
});

test('60 admitted and 940 refused requests in a minute exhaust the hour, which refusals then name (decisions 22, 24)', async () => {
  const service = quotas();
  const start = now;
  const verdicts = await meter(service, 1000);
  expect(admitted(verdicts)).toBe(60);
  expect(verdicts[60]!.window.name).toBe('1m');
  now = start + MINUTE;
  expect(await service.meter()).toMatchObject({
    admitted: false,
    window: { name: '1h', limit: 1000 },
    retryAfter: 3540,
  });
  now = start + HOUR;
  expect(await service.meter()).toMatchObject({ admitted: true, window: { name: '1m' }, remaining: 59 });
});

test('concurrent requests are admitted exactly up to the limit (decision 23)', async () => {
  const service = quotas();
  expect(admitted(await Promise.all(Array.from({ length: 1000 }, () => service.meter())))).toBe(60);
});

describe('adjusting the clock (decision 121)', () => {
  test.each([-HOUR, -30 * SECOND, 30 * SECOND, HOUR, -365 * 24 * HOUR])(
    'by %i ms moves no window, and responses show its end by the new time',
    async (step) => {
      const service = quotas();
      await meter(service, 61);
      now += 20 * SECOND;
      adjustClock(step);
      const ends = { endsAt: now + 40 * SECOND };
      expect(await service.meter()).toMatchObject({ admitted: false, retryAfter: 40, ...ends });
      now += 40 * SECOND - 1;
      expect(await service.meter()).toMatchObject({ admitted: false, retryAfter: 1, ...ends });
      now += 1;
      expect(await service.meter()).toMatchObject({ admitted: true, remaining: 59, endsAt: now + MINUTE });
    },
  );

  test('repeatedly by less than a second does not change the end in responses', async () => {
    const service = quotas();
    const { endsAt } = await service.meter();
    for (const step of [1, -1, 400, -300]) {
      adjustClock(step);
      expect((await service.meter()).endsAt).toBe(endsAt);
    }
  });
});

test('reading returns the windows and counts nothing', async () => {
  const service = quotas();
  const shop = customer('SHOP');
  await meter(service, 2, shop);
  for (let reading = 0; reading < 3; reading++)
    expect((await service.read(shop)).map(({ hits, endsAt }) => [hits, endsAt - now])).toEqual([
      [2, MINUTE],
      [2, HOUR],
    ]);
});

/**
 * Returns pseudo-random integers below `limit`. Equal seeds give equal integers (the generator of Numerical Recipes).
 */
function numbers(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

/** Sends requests at irregular times until one is refused. */
async function untilRefused(service: QuotaService, gap: () => number): Promise<Verdict> {
  for (let request = 0; request < 1000; request++) {
    const verdict = await service.meter();
    if (!verdict.admitted) return verdict;
    now += gap();
  }
  throw new Error('None of 1000 requests was refused');
}

test.each(Array.from({ length: 100 }, (_, phase) => phase))(
  'phase %i: a client that waits exactly Retry-After is admitted, whichever window refused (decision 24)',
  async (phase) => {
    const random = numbers(phase);
    // Odd phases have gaps in milliseconds. Even phases have gaps in seconds, so that requests hit the exact
    // boundaries.
    const unit = phase % 2 ? 1 : SECOND;
    const gap = () => random((20 * SECOND) / unit) * unit;
    const perMinute = 2 + random(4);
    // The limits of both windows are close, so that often both are exhausted.
    const service = quotas(perMinute, perMinute + random(3 * perMinute));
    now += random(HOUR);
    const named = new Set<string>();
    for (let round = 0; round < 40; round++) {
      const { retryAfter, window, endsAt } = await untilRefused(service, gap);
      expect(retryAfter * SECOND - (endsAt - now)).toBeLessThan(SECOND);
      named.add(window.name);
      now += retryAfter * SECOND;
      expect(await service.meter()).toMatchObject({ admitted: true });
      now += gap();
    }
    expect(named).toContain('1h');
  },
);

test('Retry-After covers the hour if only the minute refused but the hour has no request left (decision 24)', async () => {
  const service = quotas(60, 61);
  await meter(service, 60);
  now += 7 * SECOND;
  const refusal = await service.meter();
  expect(refusal).toMatchObject({ admitted: false, window: { name: '1h' }, retryAfter: 3593 });
  now += refusal.retryAfter * SECOND;
  expect((await service.meter()).admitted).toBe(true);
});

describe('memory is bounded (faults.md: memory that grows with every junk token)', () => {
  const WINDOWS = [
    { name: '1m', ttl: MINUTE },
    { name: '1h', ttl: HOUR },
  ];

  test('while 100,000 buckets end one after the other', async () => {
    let most = 0;
    for (let bucket = 0; bucket < 100_000; bucket++) {
      await storage.hit(`bucket ${bucket}`, WINDOWS);
      now += 10 * SECOND; // 360 buckets an hour
      most = Math.max(most, storage.size);
    }
    expect(most).toBeLessThan(2000);
  });

  test('after 100,000 buckets ended and as many new ones were added', async () => {
    for (let bucket = 0; bucket < 100_000; bucket++) await storage.hit(`old ${bucket}`, WINDOWS);
    now += HOUR;
    for (let bucket = 0; bucket < 100_000; bucket++) await storage.hit(`new ${bucket}`, WINDOWS);
    expect(storage.size).toBe(100_000);
  });

  test('and a bucket whose hour has not ended keeps its count', async () => {
    await storage.hit('old', WINDOWS);
    now += HOUR - 1;
    for (let bucket = 0; bucket < 10_000; bucket++) await storage.hit(`other ${bucket}`, WINDOWS);
    expect((await storage.hit('old', WINDOWS)).counts.map(({ hits }) => hits)).toEqual([1, 2]);
  });

  test('and requests with 100,000 distinct junk tokens share one bucket (decision 21)', async () => {
    const keys = new SigningKeys(readSettings({ JWT_SECRET: 'secret-of-the-memory-suite-0123456789' }));
    const identity = new IdentityMiddleware(new JwtStrategy(keys), new TokenDenylist());
    const quota = new QuotaMiddleware(quotas());
    const response = { setHeader: () => response } as unknown as Response;
    for (let junk = 0; junk < 100_000; junk++) {
      const request = { headers: { authorization: `Bearer junk-${junk}` } } as Request;
      await new Promise<void>((resolve) => identity.use(request, response, () => resolve()));
      await quota.use(request, response, () => undefined);
    }
    expect(storage.size).toBe(1);
    expect((await quotas().meter()).window.name).toBe('1h');
  });
});
