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

/** What the clock of the machine shows; it may be set. */
let now: number;
/** How far it is from the monotonic clock, which never is. */
let set: number;
let storage: MemoryQuotaStorage;
beforeEach(() => {
  now = Date.UTC(2026, 3, 1, 12);
  set = now;
  jest.spyOn(Date, 'now').mockImplementation(() => now);
  jest.spyOn(performance, 'now').mockImplementation(() => now - set);
  storage = new MemoryQuotaStorage();
});
afterEach(() => jest.restoreAllMocks());

/** Somebody sets the clock, by so many milliseconds. */
function setClock(by: number): void {
  now += by;
  set += by;
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

async function meter(service: QuotaService, times: number, who?: MeteredCustomer): Promise<Verdict[]> {
  const verdicts: Verdict[] = [];
  for (let call = 0; call < times; call++) verdicts.push(await service.meter(who));
  return verdicts;
}

const admitted = (verdicts: Verdict[]) => verdicts.filter((verdict) => verdict.admitted).length;

test('the 61st call at second 30 is refused, and free again at second 60, not before (decisions 23, 24)', async () => {
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

test('a window starts with the first call that it counts, not with the clock (decision 23)', async () => {
  const service = quotas();
  await service.meter();
  now += MINUTE + 12_345;
  expect((await service.meter()).endsAt).toBe(now + MINUTE);
});

test('polling while blocked moves the end of neither window (decision 23)', async () => {
  const service = quotas(3, 50);
  const start = now;
  await meter(service, 3);
  for (; now < start + MINUTE; now += 2 * SECOND)
    expect(await service.meter()).toMatchObject({ admitted: false, window: { name: '1m' }, endsAt: start + MINUTE });
  expect((await service.meter()).admitted).toBe(true);
  await meter(service, 50);
  // In its last minute a minute that ends later would be named instead.
  for (; now < start + HOUR - MINUTE; now += 20 * SECOND)
    expect(await service.meter()).toMatchObject({ admitted: false, window: { name: '1h' }, endsAt: start + HOUR });
  now = start + HOUR;
  expect((await service.meter()).admitted).toBe(true);
});

test('60 admitted and 940 refused in one minute leave the hour exhausted, and it is named (decisions 22, 24)', async () => {
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

test('calls at the same time are admitted exactly up to the limit (decision 23)', async () => {
  const service = quotas();
  expect(admitted(await Promise.all(Array.from({ length: 1000 }, () => service.meter())))).toBe(60);
});

describe('a clock that is set (decision 121)', () => {
  test.each([-HOUR, -30 * SECOND, 30 * SECOND, HOUR, -365 * 24 * HOUR])(
    'by %i ms moves no window, and responses name its end by the new time',
    async (step) => {
      const service = quotas();
      await meter(service, 61);
      now += 20 * SECOND;
      setClock(step);
      const ends = { endsAt: now + 40 * SECOND };
      expect(await service.meter()).toMatchObject({ admitted: false, retryAfter: 40, ...ends });
      now += 40 * SECOND - 1;
      expect(await service.meter()).toMatchObject({ admitted: false, retryAfter: 1, ...ends });
      now += 1;
      expect(await service.meter()).toMatchObject({ admitted: true, remaining: 59, endsAt: now + MINUTE });
    },
  );

  test('by less than a second, again and again, leaves the end of a window where responses said it was', async () => {
    const service = quotas();
    const { endsAt } = await service.meter();
    for (const step of [1, -1, 400, -300]) {
      setClock(step);
      expect((await service.meter()).endsAt).toBe(endsAt);
    }
  });
});

test('reading tells the windows and counts nothing', async () => {
  const service = quotas();
  const shop = customer('SHOP');
  await meter(service, 2, shop);
  for (let reading = 0; reading < 3; reading++)
    expect((await service.read(shop)).map(({ hits, endsAt }) => [hits, endsAt - now])).toEqual([
      [2, MINUTE],
      [2, HOUR],
    ]);
});

/** Whole numbers below `limit`, the same ones for the same seed (Numerical Recipes' generator). */
function numbers(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

/** Calls at odd moments until one is refused. */
async function untilRefused(service: QuotaService, gap: () => number): Promise<Verdict> {
  for (let call = 0; call < 1000; call++) {
    const verdict = await service.meter();
    if (!verdict.admitted) return verdict;
    now += gap();
  }
  throw new Error('None of 1000 calls was refused');
}

test.each(Array.from({ length: 100 }, (_, phase) => phase))(
  'phase %i: a client that waits exactly Retry-After is admitted, whichever window refused (decision 24)',
  async (phase) => {
    const random = numbers(phase);
    // Gaps to the millisecond, or to the second so that calls fall exactly on the boundaries.
    const unit = phase % 2 ? 1 : SECOND;
    const gap = () => random((20 * SECOND) / unit) * unit;
    const perMinute = 2 + random(4);
    // Hours hardly larger than minutes, so that often both end up without a call.
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

test('the wait suffices too where only the minute refused but the hour has no call left for the next (decision 24)', async () => {
  const service = quotas(60, 61);
  await meter(service, 60);
  now += 7 * SECOND;
  const refusal = await service.meter();
  expect(refusal).toMatchObject({ admitted: false, window: { name: '1h' }, retryAfter: 3593 });
  now += refusal.retryAfter * SECOND;
  expect((await service.meter()).admitted).toBe(true);
});

describe('memory (faults.md: memory that grows with every junk token)', () => {
  const WINDOWS = [
    { name: '1m', ttl: MINUTE },
    { name: '1h', ttl: HOUR },
  ];

  test('100,000 buckets that end one after the other leave no more than the last ones', async () => {
    let most = 0;
    for (let bucket = 0; bucket < 100_000; bucket++) {
      await storage.hit(`bucket ${bucket}`, WINDOWS);
      now += 10 * SECOND; // 360 buckets an hour
      most = Math.max(most, storage.size);
    }
    expect(most).toBeLessThan(2000);
  });

  test('100,000 buckets at once are gone when as many new ones have come after their end', async () => {
    for (let bucket = 0; bucket < 100_000; bucket++) await storage.hit(`old ${bucket}`, WINDOWS);
    now += HOUR;
    for (let bucket = 0; bucket < 100_000; bucket++) await storage.hit(`new ${bucket}`, WINDOWS);
    expect(storage.size).toBe(100_000);
  });

  test('a bucket whose hour has not ended outlives every sweep, with its count', async () => {
    await storage.hit('kept', WINDOWS);
    now += HOUR - 1;
    for (let bucket = 0; bucket < 10_000; bucket++) await storage.hit(`other ${bucket}`, WINDOWS);
    expect((await storage.hit('kept', WINDOWS)).counts.map(({ hits }) => hits)).toEqual([1, 2]);
  });

  test('100,000 distinct junk tokens, verified and metered as requests are, leave one bucket (decision 21)', async () => {
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
