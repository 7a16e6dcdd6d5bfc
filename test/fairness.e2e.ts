import { setTimeout as sleep } from 'node:timers/promises';
import { DATA } from './support/data-endpoints.js';
import { call } from './support/http-call.js';
import { importFiles } from './support/import-files.js';
import { type Environment, TestService } from './support/test-service.js';
import { loadVersion, SlowDownload, VERSION_1, versionsIn } from './support/versioned-catalogue.js';

const JWT_SECRET = 's'.repeat(40);
const CUSTOMERS = ['C', 'D', 'E'];
/** A download that its client does not read holds its slot, and no response is cached. */
const HOLDING = { SPOOL_MEGABYTES: '0', RESPONSE_CACHE_MEGABYTES: '0' };

let service: TestService;
const tokens: Record<string, string> = {};
beforeAll(async () => {
  service = await TestService.start({ JWT_SECRET });
  await loadVersion(service.database, 1);
  await service.database.load(
    importFiles({ 'customers.csv': CUSTOMERS.map((code) => [code, 'Customer', 'L', 'W', '10']) }),
  );
  for (const code of CUSTOMERS) tokens[code] = await service.token(code);
});
afterEach(() => void open.splice(0).forEach((download) => download.abort()));
afterAll(() => service.close());

const open: SlowDownload[] = [];

async function restart(environment: Environment): Promise<void> {
  await service.stop();
  service = await TestService.start(
    { JWT_SECRET, DATABASE_WAIT_MS: '40000', ...HOLDING, ...environment },
    service.database,
  );
}

/** A download whose client stops reading, so it keeps its slot. */
async function hold(customer = 'C', path = '/products'): Promise<SlowDownload> {
  const download = await SlowDownload.begin(service.url, path, tokens[customer]!);
  open.push(download);
  return download;
}

/** Sends a request that may have to wait. `status` is undefined until the response begins. */
function waiting(customer: string, path = '/stock') {
  const controller = new AbortController();
  const pending: { status?: number; done: Promise<unknown>; leave(): void } = {
    done: Promise.resolve(),
    leave: () => controller.abort(),
  };
  pending.done = fetch(service.url + path, {
    headers: { Authorization: `Bearer ${tokens[customer]}` },
    signal: controller.signal,
  }).then(
    (response) => {
      pending.status = response.status;
      return response.text();
    },
    () => undefined,
  );
  return pending;
}

/** Milliseconds within which the service admits every request that it can admit. */
const A_WHILE = 700;

test('DOWNLOAD_POOL_SIZE limits simultaneous downloads, and the next begins when one ends or its client disconnects', async () => {
  await restart({ DOWNLOAD_POOL_SIZE: '2' });
  const [first, second] = [await hold('C'), await hold('D')];
  const third = waiting('E');
  await sleep(A_WHILE);
  expect(third.status).toBeUndefined();
  expect(versionsIn(await first.finish())).toEqual(new Set([VERSION_1]));
  await third.done;
  expect(third.status).toBe(200);
  await hold('C');
  const fourth = waiting('E');
  await sleep(A_WHILE);
  expect(fourth.status).toBeUndefined();
  second.abort();
  await fourth.done;
  expect(fourth.status).toBe(200);
});

test('DOWNLOADS_PER_CUSTOMER limits the downloads of one customer without delaying other customers', async () => {
  await restart({ DOWNLOAD_POOL_SIZE: '5', DOWNLOADS_PER_CUSTOMER: '2' });
  const first = await hold('C');
  await hold('C');
  const requests = DATA.map((path) => waiting('C', path));
  await sleep(A_WHILE);
  for (const path of DATA) expect((await service.get(path, tokens.D)).status).toBe(200);
  expect(requests.map(({ status }) => status)).toEqual(DATA.map(() => undefined));
  first.abort();
  await Promise.all(requests.map(({ done }) => done));
  expect(requests.map(({ status }) => status)).toEqual(DATA.map(() => 200));
});

test('waiting requests are served in the order of their arrival', async () => {
  await restart({ DOWNLOAD_POOL_SIZE: '1' });
  const first = await hold('C');
  const order: string[] = [];
  const requests = [];
  for (const customer of ['D', 'E', 'C', 'D']) {
    const { done } = waiting(customer);
    requests.push(done.then(() => order.push(customer)));
    await sleep(150);
  }
  first.abort();
  await Promise.all(requests);
  expect(order).toEqual(['D', 'E', 'C', 'D']);
});

test('a request that waits too long returns 500 with Retry-After, and small responses and 304 do not wait (decision 109)', async () => {
  await restart({ DOWNLOAD_POOL_SIZE: '1', DATABASE_WAIT_MS: '1000' });
  const { etag } = (await call(service.url, { path: '/stock', token: tokens.D })).headers;
  await hold('C');
  const refused = await service.get('/stock', tokens.D);
  expect([refused.status, Object.keys((await refused.json()) as object)]).toEqual([500, ['error']]);
  expect(refused.headers.get('etag')).toBeNull();
  expect(refused.headers.get('retry-after')).toMatch(/^([5-9]|1[0-5])$/);
  const polled = await call(service.url, { path: '/stock', token: tokens.D, headers: { 'If-None-Match': etag } });
  expect(polled.status).toBe(304);
  for (const path of ['/health', '/api/version']) expect((await service.get(path)).status).toBe(200);
  expect((await fetch(`${service.managementUrl}/readyz`)).status).toBe(200);
});

test('HEAD waits like GET, because it reads the last SKU from a snapshot (decision 111)', async () => {
  await restart({ DOWNLOAD_POOL_SIZE: '1', DATABASE_WAIT_MS: '500' });
  const first = await hold('C');
  const HEAD = { path: '/products', token: tokens.D, method: 'HEAD' };
  expect((await call(service.url, HEAD)).status).toBe(500);
  first.abort();
  expect((await call(service.url, HEAD)).status).toBe(200);
});

test('a client that disconnects while it waits frees its place and is not logged as an error', async () => {
  await restart({ DOWNLOAD_POOL_SIZE: '1' });
  const first = await hold('C');
  const leaving = Array.from({ length: 10 }, () => waiting('D', '/products'));
  await sleep(A_WHILE);
  for (const { leave } of leaving) leave();
  await Promise.all(leaving.map(({ done }) => done));
  service.log.length = 0;
  const last = waiting('E');
  first.abort();
  await last.done;
  expect(last.status).toBe(200);
  expect(service.log.filter((line) => /cut|Error|came to its end/.test(line))).toEqual([]);
});

test('a client that reads one byte per second is aborted within the window, frees its slot and is logged with the reason', async () => {
  await restart({ DOWNLOAD_POOL_SIZE: '1', DOWNLOAD_STALL_SECONDS: '2', DOWNLOAD_MIN_BYTES_PER_SECOND: '1000' });
  const trickle = await hold('C');
  const reading = setInterval(() => trickle.take(1), 1000);
  const next = waiting('D');
  await next.done;
  clearInterval(reading);
  expect(next.status).toBe(200);
  expect(await trickle.isAborted()).toBe(true);
  expect(service.log.join('\n')).toContain('bytes were sent in 2 s');
});

test('a slow client above the minimum rate receives the whole body', async () => {
  await restart({ DOWNLOAD_STALL_SECONDS: '5', DOWNLOAD_MIN_BYTES_PER_SECOND: '1000' });
  const slow = await hold('C');
  // The body has 15 MB. The client reads it so slowly that one batch of the response takes longer than the window.
  for (let second = 0; second < 10; second += 0.1) {
    slow.take(40_000);
    await sleep(100);
  }
  expect(service.log.filter((line) => line.includes('aborted: '))).toEqual([]);
  expect(versionsIn(await slow.finish())).toEqual(new Set([VERSION_1]));
});
