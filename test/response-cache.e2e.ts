import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { call } from './support/http-call.js';
import { importFiles } from './support/import-files.js';
import { SeededRandom } from './support/seeded-random.js';
import { TestService } from './support/test-service.js';
import { until } from './support/until.js';
import { loadVersion, SlowDownload, VERSION_1, versionsIn } from './support/versioned-catalogue.js';

const JWT_SECRET = 's'.repeat(40);
const PATHS = ['/products', '/prices', '/stock'];
const TYPES = [
  'application/json',
  'application/x-ndjson',
  'text/csv',
  'text/csv;bom=1;delimiter=semicolon',
  'text/csv;decimal=comma',
];
const ENCODINGS = ['identity', 'gzip', 'br'];

/** Customers with two price lists, two warehouses and two discounts. Groups of three customers have the same terms. */
const CUSTOMERS = Array.from({ length: 12 }, (_, index) => ({
  code: `C-${index}`,
  list: index % 2 ? 'L' : 'K',
  warehouse: index % 2 ? 'W' : 'V',
  discount: index % 4 < 2 ? '0' : '10',
}));

/** A service whose cache is too small for all bodies. */
let small: TestService;
/** A service without a cache. */
let none: TestService;
const tokens: Record<string, string> = {};

beforeAll(async () => {
  small = await TestService.start({ JWT_SECRET, RESPONSE_CACHE_MEGABYTES: '1' });
  none = await TestService.start({ JWT_SECRET, RESPONSE_CACHE_MEGABYTES: '0' }, small.database);
  await small.database.load(catalogue(1));
  for (const { code } of CUSTOMERS) tokens[code] = await small.token(code);
});
afterAll(async () => {
  await none.stop();
  await small.close();
});

/** Prices and stock that show price list, warehouse and version. */
function catalogue(version: number): Record<string, string> {
  const skus = Array.from({ length: 300 }, (_, index) => `P-${String(index).padStart(4, '0')}`);
  return importFiles({
    'price_lists.csv': ['K', 'L'].map((code) => [code, `List ${code}`, 'EUR']),
    'warehouses.csv': [['V'], ['W']],
    'products.csv': skus.map((sku) => [sku, `Name ${version} of ${sku}`]),
    'prices.csv': skus.flatMap((sku, index) => [
      ['K', sku, String(100 + version), '1', '1', 'true'],
      ...(index % 3 ? [['L', sku, String(200 + version), '1', '1', 'true']] : []),
    ]),
    'stock.csv': skus.flatMap((sku) => [
      ['V', sku, String(version)],
      ['W', sku, String(10 * version)],
    ]),
    'customers.csv': CUSTOMERS.map(({ code, list, warehouse, discount }) => [code, code, list, warehouse, discount]),
  });
}

async function metric(service: TestService, name: string): Promise<number> {
  const text = await (await fetch(`${service.managementUrl}/metrics`)).text();
  return Number(new RegExp(`^customer_data_${name} (.*)$`, 'm').exec(text)![1]);
}

const get = (
  service: TestService,
  path: string,
  customer: string,
  headers: Record<string, string> = {},
  method = 'GET',
) => call(service.url, { path, method, token: tokens[customer]!, headers });

test('random requests of many customers return the bytes of a fresh response while imports change the data', async () => {
  const random = new SeededRandom(15);
  for (let round = 0; round < 4; round++) {
    await small.database.load(catalogue(round + 1));
    for (let step = 0; step < 60; step++) {
      const [path, { code }] = [random.of(PATHS), random.of(CUSTOMERS)];
      const headers = { Accept: random.of(TYPES), 'Accept-Encoding': random.of(ENCODINGS) };
      const [cached, fresh] = await Promise.all([get(small, path, code, headers), get(none, path, code, headers)]);
      expect(cached.status).toBe(200);
      expect(cached.bytes.equals(fresh.bytes)).toBe(true);
      for (const name of ['etag', 'content-type', 'content-encoding', 'x-last-sku', 'x-data-changed', 'vary'])
        expect(cached.headers[name]).toBe(fresh.headers[name]);
    }
  }
  expect(await metric(small, 'response_cache_hits_total')).toBeGreaterThan(20);
  expect(await metric(small, 'response_cache_evictions_total')).toBeGreaterThan(5);
  expect(await metric(small, 'response_cache_bytes')).toBeLessThanOrEqual(1024 * 1024);
  expect(await metric(none, 'response_cache_misses_total')).toBe(0);
  expect(await metric(none, 'response_cache_hits_total')).toBe(0);
});

test.each(['/products', '/prices'])(
  '%s has a Content-Length if it is cached, and HEAD returns the same headers',
  async (path) => {
    const first = await get(small, path, 'C-0', { 'Accept-Encoding': 'gzip' });
    const hits = await metric(small, 'response_cache_hits_total');
    const again = await get(small, path, 'C-4', { 'Accept-Encoding': 'gzip' });
    const head = await get(small, path, 'C-0', { 'Accept-Encoding': 'gzip' }, 'HEAD');
    expect(await metric(small, 'response_cache_hits_total')).toBe(hits + 1);
    expect(again.bytes.equals(first.bytes)).toBe(true);
    expect(again.headers['content-length']).toBe(String(first.bytes.length));
    expect(again.headers).not.toHaveProperty('transfer-encoding');
    for (const name of ['etag', 'content-length', 'content-encoding', 'x-last-sku'])
      expect(head.headers[name]).toBe(again.headers[name]);
    expect(head.body).toBe('');
  },
);

test('/stock is read from the database each time (interface §4, rule 2)', async () => {
  const hits = await metric(small, 'response_cache_hits_total');
  for (let round = 0; round < 3; round++) {
    const response = await get(small, '/stock', 'C-0');
    expect(response.headers).toHaveProperty('transfer-encoding', 'chunked');
  }
  expect(await metric(small, 'response_cache_hits_total')).toBe(hits);
});

test('the next request returns a price that another program changed', async () => {
  const before = await get(small, '/prices', 'C-0');
  await small.database.sql(`UPDATE prices SET Price = 7 WHERE SKU = 'P-0000' AND PriceListCode = 'K'`);
  const after = await get(small, '/prices', 'C-0');
  expect(after.body).toContain('"PriceExclVAT":7.0000');
  expect(before.body).not.toContain('"PriceExclVAT":7.0000');
});

test('a customer whose terms change receives a response in its new terms', async () => {
  const [before] = [await get(small, '/prices', 'C-1'), await get(small, '/prices', 'C-1')];
  await small.database.load(importFiles({ 'customers.csv': [['C-1', 'C-1', 'K', 'W', '0']] }));
  const after = await get(small, '/prices', 'C-1');
  expect([before.body.includes('"List L"'), after.body.includes('"List L"')]).toEqual([true, false]);
});

test('pipelined requests receive their cached responses in order', async () => {
  await Promise.all(['/products', '/prices'].map((path) => get(small, path, 'C-0', { Accept: 'application/json' })));
  const sent = ['/prices', '/products', '/prices'];
  const responses = await pipelined(sent);
  expect(responses.map((body) => body.includes('ProductImages'))).toEqual(sent.map((path) => path === '/products'));
});

async function pipelined(paths: readonly string[]): Promise<string[]> {
  const socket = connect(Number(new URL(small.url).port), '127.0.0.1');
  const requests = paths.map(
    (path, index) =>
      `GET ${path} HTTP/1.1\r\nHost: test\r\nAuthorization: Bearer ${tokens['C-0']}\r\n${index === paths.length - 1 ? 'Connection: close\r\n' : ''}\r\n`,
  );
  socket.write(requests.join(''));
  const text = (await socket.setEncoding('utf8').toArray()).join('');
  return text.split(/HTTP\/1\.1 200 OK\r\n/).slice(1);
}

describe('slow clients of cached responses', () => {
  let service: TestService;
  let token: string;
  beforeAll(async () => {
    const settings = { JWT_SECRET, SPOOL_MEGABYTES: '0', DOWNLOAD_POOL_SIZE: '1', DOWNLOAD_STALL_SECONDS: '1' };
    service = await TestService.start({ ...settings, DOWNLOADS_PER_CUSTOMER: '20' });
    await loadVersion(service.database, 1);
    token = await service.token('C');
    await call(service.url, { path: '/products', token });
  });
  afterAll(() => service.close());

  test('receive every byte if they read steadily for longer than the stall window', async () => {
    const download = await SlowDownload.begin(service.url, '/products', token);
    for (let second = 0; second < 13; second += 0.1) {
      download.take(60_000);
      await sleep(100);
    }
    expect(service.log.filter((line) => line.includes('aborted: '))).toEqual([]);
    expect(versionsIn(await download.finish())).toEqual(new Set([VERSION_1]));
  }, 30_000);

  test('hold neither a database connection nor additional memory, and are aborted when they stall', async () => {
    const cachedBytes = await metric(service, 'response_cache_bytes');
    const downloads = await Promise.all(
      Array.from({ length: 15 }, () => SlowDownload.begin(service.url, '/products', token)),
    );
    expect(await metric(service, 'downloads_active')).toBe(0);
    expect(await metric(service, 'downloads_in_flight')).toBe(15);
    expect(await metric(service, 'response_cache_bytes')).toBe(cachedBytes);
    expect((await service.get('/stock', token)).status).toBe(200);
    const [first] = downloads;
    expect(versionsIn(await first!.finish())).toEqual(new Set([VERSION_1]));
    for (const download of downloads.slice(1)) expect(await download.isReset()).toBe(false);
    const stalls = () => service.log.filter((line) => line.includes('bytes were sent in 10 s'));
    await until('the stalls', async () => stalls().length === 14, { everyMs: 20_000 });
    const lines = stalls();
    expect(lines).toHaveLength(14);
    await until('no response is in flight', async () => (await metric(service, 'downloads_in_flight')) === 0);
    for (const download of downloads) download.abort();
  });
});

test('compressed cached bodies decompress to the plain body', async () => {
  const [plain, gzip, br] = await Promise.all(
    ENCODINGS.map((encoding) => get(small, '/products', 'C-3', { 'Accept-Encoding': encoding })),
  );
  expect(gunzipSync(gzip!.bytes).equals(plain!.bytes)).toBe(true);
  expect(brotliDecompressSync(br!.bytes).equals(plain!.bytes)).toBe(true);
});
