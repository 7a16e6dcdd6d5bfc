import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { describeUnless } from '../support/describe-with.js';
import { call, tokenCall, tokenIn } from '../support/http-call.js';
import { A, smallCatalogue } from '../support/small-catalogue.js';
import { TcpProxy } from '../support/tcp-proxy.js';
import { TestDatabase, TestService } from '../support/test-service.js';
import { until } from '../support/until.js';

const FORGETS_AFTER_MS = 1200;
/** Less than the second between two checks of a replica. */
const FORGETS_BETWEEN_CHECKS_MS = 500;
/** Maximum duration of a request after an idle period (issue 14 §8). */
const MAX_MS = 2000;
const AT_ONCE = 6;
const LINUX = process.platform === 'linux';

let database: TestDatabase;
let key: string;
let proxies: TcpProxy[];
let service: TestService;
beforeAll(async () => {
  database = await TestDatabase.create();
  await database.load(smallCatalogue);
  key = await database.cliOk('key', 'issue', A);
});
beforeEach(() => void (proxies = []));
afterEach(async () => {
  await service.stop();
  for (const proxy of proxies) proxy.close();
});
afterAll(() => database.drop());

/** Returns a URL of the database behind a firewall. */
async function firewall(responsesForgotten: TcpProxy['responsesForgotten']): Promise<string> {
  const proxy = Object.assign(new TcpProxy(database.url), { responsesForgotten });
  const url = await proxy.reservedUrl();
  await proxy.open();
  proxies.push(proxy);
  return url;
}

const logIn = () => call(service.url, tokenCall(A, key));

/** Sends several requests at once. @returns the statuses, and the longest duration in milliseconds */
async function burst(request: () => Promise<{ status: number }>): Promise<[statuses: number[], longest: number]> {
  const startedAt = performance.now();
  const responses = await Promise.all(Array.from({ length: AT_ONCE }, request));
  return [responses.map(({ status }) => status), performance.now() - startedAt];
}

const ALL_200 = Array<number>(AT_ONCE).fill(200);

describe.each(['nothing', 'reset'] as const)(
  'with a firewall that forgets idle connections and responds with %s',
  (responses) => {
    test.each([
      ['the server', false],
      ['a replica', true],
    ])('requests read data from %s within 2 s (issue 14 §8)', async (_name, withReplica) => {
      service = await TestService.start(
        {
          DATABASE_URL: await firewall(responses),
          DOWNLOADS_PER_CUSTOMER: String(AT_ONCE),
          RESPONSE_CACHE_MEGABYTES: '0',
          DATABASE_REPLICA_URLS: withReplica ? await firewall(responses) : '',
        },
        database,
      );
      const token = tokenIn(await logIn());
      const stock = () => call(service.url, { path: '/stock', token });
      for (const request of [stock, logIn, stock]) {
        // Opens every connection that the burst below needs.
        expect((await burst(stock))[0]).toEqual(ALL_200);
        for (const proxy of proxies) Object.assign(proxy, { forgetsAfter: FORGETS_AFTER_MS, forgotten: 0 });
        await sleep(FORGETS_AFTER_MS + 200);
        const [statuses, longest] = await burst(request);
        expect(statuses).toEqual(ALL_200);
        expect(longest).toBeLessThan(MAX_MS);
        expect(proxies[0]!.forgotten).toBeGreaterThan(0);
      }
      expect(service.log.filter((line) => line.includes('is lost'))).toEqual([]);
    });

    test('the checks of a replica replace a connection that a firewall forgot after the previous check', async () => {
      service = await TestService.start(
        { DATABASE_URL: database.url, DATABASE_REPLICA_URLS: await firewall(responses) },
        database,
      );
      const [proxy] = proxies;
      proxy!.forgetsAfter = FORGETS_BETWEEN_CHECKS_MS;
      await until('two forgotten connections', () => proxy!.forgotten >= 2);
      expect(service.log.filter((line) => line.includes('is lost'))).toEqual([]);
    });
  },
);

/** Returns the seconds to the next keep-alive packet of each connection of this process to a port, from the kernel. */
async function keepAliveTimers(port: number): Promise<(number | undefined)[]> {
  const remote = `0100007F:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const lines = (await readFile('/proc/self/net/tcp', 'utf8')).split('\n').map((line) => line.trim().split(/\s+/));
  // The fields are number, local and remote address, state (01 is established), queues, kind and end of the timer.
  return lines
    .filter((fields) => fields[2] === remote && fields[3] === '01')
    .map((fields) => /^02:(\w+)$/.exec(fields[5]!)?.[1])
    .map((ticks) => ticks && parseInt(ticks, 16) / 100) as (number | undefined)[];
}

describeUnless(!LINUX && 'only Linux exposes the timers of a process', 'the kernel', () => {
  test('idle connections send the first keep-alive packet within 10 s', async () => {
    const url = await firewall('nothing');
    service = await TestService.start({ RESPONSE_CACHE_MEGABYTES: '0', DATABASE_URL: url }, database);
    const token = tokenIn(await logIn());
    expect((await burst(() => call(service.url, { path: '/stock', token })))[0]).toEqual(ALL_200);
    const timers = await keepAliveTimers(Number(new URL(url).port));
    expect(timers.length).toBeGreaterThan(1);
    for (const seconds of timers) {
      expect(seconds).toBeGreaterThan(0);
      expect(seconds).toBeLessThanOrEqual(10.5);
    }
  });
});
