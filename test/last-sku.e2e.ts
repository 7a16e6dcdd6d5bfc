import { DECODERS } from './support/decoders.js';
import { ENDPOINTS } from './support/expected-responses.js';
import { type ReceivedResponse, call } from './support/http-call.js';
import { importFiles } from './support/import-files.js';
import { TestService } from './support/test-service.js';
import { loadVersion, SlowDownload } from './support/versioned-catalogue.js';

/** The last SKU in code-point order, with characters that need percent-encoding in a header. */
const ODD = 'ß +%/"\\,😀';
const SKUS = ['A', 'M', 'X-NOT-PRICED', 'Y-NO-STOCK', 'Z-OLD', ODD];
const FILES = importFiles({
  'price_lists.csv': ['PLAIN', 'ODD', 'OLD'].map((list) => [list, 'List', 'EUR']),
  'warehouses.csv': [['PLAIN'], ['ODD']],
  'products.csv': SKUS.map((sku) => [sku]),
  'prices.csv': [
    ...['A', 'M', 'Y-NO-STOCK', 'Z-OLD'].map((sku) => ['PLAIN', sku]),
    ...['A', ODD].map((sku) => ['ODD', sku]),
    ['OLD', 'Z-OLD'],
  ].map(([list, sku]) => [list!, sku!, '1.50', '', '', 'true']),
  'stock.csv': [
    ...['A', 'M', 'X-NOT-PRICED', 'Z-OLD'].map((sku) => ['PLAIN', sku, '1']),
    // An entry with the quantity 0 is also an element.
    ['ODD', ODD, '0'],
  ],
  'customers.csv': [
    ['PLAIN', '', 'PLAIN', 'PLAIN', '0'],
    ['ODD', '', 'ODD', 'ODD', '0'],
    ['NO-COMMON-STOCK', '', 'PLAIN', 'ODD', '0'],
    ['ONLY-OBSOLETE', '', 'OLD', 'PLAIN', '0'],
    ['NO-LIST', '', '', 'PLAIN', '0'],
    ['NO-WAREHOUSE', '', 'PLAIN', '', '0'],
  ],
});
const FORMATS = [undefined, 'application/x-ndjson', 'text/csv', 'text/csv;bom=1;decimal=comma'];

let service: TestService;
const tokens: Record<string, string> = {};
beforeAll(async () => {
  service = await TestService.start({ RESPONSE_CACHE_MEGABYTES: '0' });
  await service.database.load(FILES);
  await service.database.sql(`UPDATE products SET Status = 'OBSOLETE' WHERE SKU = 'Z-OLD'`);
  for (const [code] of FILES['customers.csv']!.split('\n')
    .slice(1, -1)
    .map((line) => line.split(',')))
    tokens[code!] = await service.token(code!);
});
afterAll(() => service.close());

interface Options {
  method?: string;
  headers?: Record<string, string>;
}
const fetchAs = (customer: string, path: string, options: Options = {}): Promise<ReceivedResponse> =>
  call(service.url, { path, token: tokens[customer]!, ...options });
const lastSku = ({ headers }: ReceivedResponse) => headers['x-last-sku'];

describe.each<[string, (string | undefined)[]]>([
  // In the order of ENDPOINTS: products, stock, prices.
  ['PLAIN', ['Y-NO-STOCK', 'M', 'Y-NO-STOCK']],
  ['ODD', [ODD, ODD, ODD]],
  ['NO-COMMON-STOCK', ['Y-NO-STOCK', undefined, 'Y-NO-STOCK']],
  ['ONLY-OBSOLETE', [undefined, undefined, undefined]],
  ['NO-LIST', [undefined, undefined, undefined]],
  ['NO-WAREHOUSE', ['Y-NO-STOCK', undefined, 'Y-NO-STOCK']],
])('for the customer %s', (customer, expected) => {
  test.each(ENDPOINTS.map((path, index) => [path, expected[index]] as const))(
    'X-Last-SKU of %s is %s in every format and encoding, for GET and HEAD (interface §4)',
    async (path, sku) => {
      for (const accept of FORMATS)
        for (const encoding of ['identity', 'gzip', 'br'])
          for (const method of ['GET', 'HEAD']) {
            const headers = { ...(accept && { Accept: accept }), 'Accept-Encoding': encoding };
            const response = await fetchAs(customer, path, { method, headers });
            const kind = [response.status, accept, encoding, method];
            expect([...kind, lastSku(response)]).toEqual([200, ...kind.slice(1), sku && encodeURIComponent(sku)]);
            if (accept || method === 'HEAD') continue;
            const elements = JSON.parse(DECODERS[encoding]!(response.bytes).toString()) as { SKU: string }[];
            expect(elements.at(-1)?.SKU).toBe(sku);
          }
    },
  );
});

test('X-Last-SKU is percent-encoded UTF-8 (interface §4)', async () => {
  expect(lastSku(await fetchAs('ODD', '/prices'))).toBe('%C3%9F%20%2B%25%2F%22%5C%2C%F0%9F%98%80');
});

test.each(ENDPOINTS)('a 304 of %s has neither X-Last-SKU nor X-Data-Changed (decision 111)', async (path) => {
  const { etag } = (await fetchAs('PLAIN', path)).headers;
  for (const method of ['GET', 'HEAD']) {
    const response = await fetchAs('PLAIN', path, { method, headers: { 'If-None-Match': etag! } });
    expect([response.status, lastSku(response), response.headers['x-data-changed']]).toEqual([
      304,
      undefined,
      undefined,
    ]);
  }
});

test('errors and other endpoints have neither X-Last-SKU nor X-Data-Changed (interface §4)', async () => {
  for (const path of ['/nowhere', '/stock/schema', '/api/version', '/health']) {
    const { headers } = await fetchAs('PLAIN', path);
    expect([path, headers['x-last-sku'], headers['x-data-changed']]).toEqual([path, undefined, undefined]);
  }
  await service.database.sql('ALTER TABLE products RENAME TO hidden_products');
  for (const path of ENDPOINTS) {
    const { status, headers } = await fetchAs('PLAIN', path);
    expect([status, headers['x-last-sku'], headers['x-data-changed']]).toEqual([500, undefined, undefined]);
  }
  await service.database.sql('ALTER TABLE hidden_products RENAME TO products');
});

test('HEAD returns the headers of GET without reading elements (decision 111)', async () => {
  const [get, head] = [await fetchAs('PLAIN', '/products'), await fetchAs('PLAIN', '/products', { method: 'HEAD' })];
  for (const name of ['etag', 'content-type', 'x-last-sku', 'x-data-changed', 'cache-control', 'vary'])
    expect([name, head.headers[name]]).toEqual([name, get.headers[name]]);
  expect(head.bytes.length).toBe(0);
  // Without this table, a HEAD that reads elements fails.
  await service.database.sql('ALTER TABLE product_documents RENAME TO hidden_documents');
  expect((await fetchAs('PLAIN', '/products')).status).toBe(500);
  expect((await fetchAs('PLAIN', '/products', { method: 'HEAD' })).status).toBe(200);
  await service.database.sql('ALTER TABLE hidden_documents RENAME TO product_documents');
});

test('X-Last-SKU comes from the snapshot of the body, despite later commits (decision 111)', async () => {
  await loadVersion(service.database, 1);
  const token = await service.token('C');
  const download = await SlowDownload.begin(service.url, '/products', token);
  await service.database.sql([`DELETE FROM prices WHERE SKU = 'P-01499'`, `DELETE FROM stock`]);
  const body = await download.finish();
  const last = (JSON.parse(body!) as { SKU: string }[]).at(-1)!.SKU;
  expect([last, /^X-Last-SKU: (.*)\r$/m.exec(download.text)?.[1]]).toEqual(['P-01499', 'P-01499']);
  expect(lastSku(await call(service.url, { path: '/products', token }))).toBe('P-01498');
});
