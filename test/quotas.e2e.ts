import { call, left, tokenIn } from './support/http-call.js';
import { LIMITS, QuotaBench, quotaDatabase, SECRET } from './support/quota-bench.js';
import { quotaSuite, refusalOf } from './support/quota-suite.js';
import { ServiceProcess } from './support/service-process.js';
import { A } from './support/small-catalogue.js';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

let bench: QuotaBench;
/** The time of the service, which runs in this process. It stays constant unless a test changes it. */
let now = Date.UTC(2026, 3, 1, 12);
/** The system clock minus the monotonic clock, in milliseconds. */
let offset = now;
beforeAll(async () => {
  jest.spyOn(Date, 'now').mockImplementation(() => now);
  jest.spyOn(performance, 'now').mockImplementation(() => now - offset);
  bench = await QuotaBench.start();
});
afterAll(async () => {
  jest.restoreAllMocks();
  await bench.close();
});

// After two hours, all windows and all tokens have ended.
quotaSuite(
  () => bench,
  () => (now += 2 * HOUR),
);

describe('over time', () => {
  test('the 61st request at second 30 is refused until second 60 (decisions 23, 24)', async () => {
    const start = now;
    await bench.sendTimes(60);
    now = start + 30 * SECOND;
    expect(await bench.send()).toMatchObject({ status: 429, headers: { 'retry-after': '30' } });
    now = start + MINUTE - 1;
    expect(await bench.send()).toMatchObject({ status: 429, headers: { 'retry-after': '1' } });
    now = start + MINUTE;
    const response = await bench.send();
    expect([response.status, left(response)]).toEqual([200, 59]);
    expect(response.headers['x-rate-limit-reset']).toBe(new Date(start + 2 * MINUTE).toISOString());
  });

  test('polling while refused does not move the end of the window (decision 23)', async () => {
    const start = now;
    const token = tokenIn(await bench.login(A));
    await bench.sendTimes(59, { token });
    for (now = start + SECOND; now < start + MINUTE; now += 3 * SECOND) {
      const { status, headers } = await bench.send({ path: '/products', token });
      const seconds = (start + MINUTE - now) / SECOND;
      expect([status, headers['retry-after']]).toEqual([429, String(seconds)]);
      expect(headers['x-rate-limit-reset']).toBe(new Date(start + MINUTE).toISOString());
    }
    now = start + MINUTE;
    expect((await bench.send({ path: '/products', token })).status).toBe(200);
  });

  test('60 admitted and 940 refused requests in a minute exhaust the hour, which the response names (decisions 22, 24)', async () => {
    const start = now;
    const responses = [await bench.login(A)];
    const token = tokenIn(responses[0]!);
    responses.push(...(await bench.sendTimes(999, { path: '/stock', token })));
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(60);
    expect(responses.at(60)).toMatchObject({ status: 429, body: refusalOf(60, '1m') });
    for (const elapsed of [0, MINUTE, 30 * MINUTE]) {
      now = start + elapsed;
      const { status, body, headers } = await bench.send({ path: '/stock', token });
      expect([status, body]).toEqual([429, refusalOf(1000, '1h')]);
      expect(headers).toMatchObject({
        'retry-after': String((HOUR - elapsed) / SECOND),
        'x-rate-limit-limit': '1h',
        'x-rate-limit-remaining': '0',
        'x-rate-limit-reset': new Date(start + HOUR).toISOString(),
      });
    }
    now = start + HOUR;
    expect((await bench.send({ path: '/stock', token })).status).toBe(200);
  });

  test('while no window is exhausted, responses describe the one with the fewest requests left (decision 25)', async () => {
    const start = now;
    for (let minute = 0; minute < 16; minute++) {
      now = start + minute * MINUTE;
      await bench.sendTimes(60);
    }
    // The hour has 40 requests left, fewer than the minute, which has just begun.
    now = start + 16 * MINUTE;
    const response = await bench.send();
    expect([response.status, response.headers['x-rate-limit-limit'], left(response)]).toEqual([200, '1h', 39]);
    expect(response.headers['x-rate-limit-reset']).toBe(new Date(start + HOUR).toISOString());
  });
});

test.each([-HOUR, HOUR])('adjusting the clock by %i ms does not extend a refusal (decision 121)', async (step) => {
  now += 2 * HOUR;
  const refused = (await bench.sendTimes(61)).at(-1)!;
  expect([refused.status, refused.headers['retry-after']]).toEqual([429, '60']);
  now += step;
  offset += step;
  const { status, headers } = await bench.send();
  expect([status, headers['retry-after'], headers['x-rate-limit-reset']]).toEqual([
    429,
    '60',
    new Date(now + MINUTE).toISOString(),
  ]);
  now += MINUTE;
  expect((await bench.send()).status).toBe(200);
});

test.each(['UTC', 'Pacific/Auckland', 'America/St_Johns'])(
  'a process in the time zone %s returns X-Rate-Limit-Reset in UTC (interface §8.6, decision 24)',
  async (TZ) => {
    const database = await quotaDatabase();
    const settings = { DATABASE_URL: database.url, DEMO_DATA: 'false', JWT_SECRET: SECRET, ...LIMITS, TZ };
    const service = ServiceProcess.start(settings, database.folder);
    const { url } = await service.ports();
    const before = new Date().getTime(); // only Date.now is mocked
    const { headers } = await call(url);
    await service.stop();
    await database.drop();
    const reset = headers['x-rate-limit-reset'] as string;
    expect(reset).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(Math.abs(Date.parse(reset) - before - MINUTE)).toBeLessThan(10 * SECOND);
  },
);
