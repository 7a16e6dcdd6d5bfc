import { Agent } from 'node:http';
import { call } from './support/http-call.js';
import { importFiles } from './support/import-files.js';
import { TestService } from './support/test-service.js';

/** Customers with an empty warehouse, and with rows for one statement. compression.spec.ts has larger bodies. */
const SIZES = ['EMPTY', 'SMALL'];
const FORMATS = ['application/json', 'application/x-ndjson', 'text/csv'];
const TIMES = 100;
const AT_ONCE = 10;

const SKUS = ['P', 'Q', 'R'];
const FILES = importFiles({
  'price_lists.csv': [['L', 'List', 'EUR']],
  'warehouses.csv': SIZES.map((size) => [size]),
  'products.csv': SKUS.map((sku) => [sku]),
  'prices.csv': SKUS.map((sku) => ['L', sku, '1.50', '', '', 'true']),
  'stock.csv': SKUS.map((sku) => ['SMALL', sku, '1']),
  'customers.csv': SIZES.map((size) => [size, '', 'L', size, '0']),
});

let service: TestService;
const tokens: Record<string, string> = {};
const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
beforeAll(async () => {
  service = await TestService.start({ DOWNLOADS_PER_CUSTOMER: '5', DOWNLOAD_POOL_SIZE: '5' });
  await service.database.load(FILES);
  for (const size of SIZES) tokens[size] = await service.token(size);
});
afterAll(async () => {
  agent.destroy();
  await service.close();
});

const KINDS = SIZES.flatMap((size) =>
  ['gzip', 'br'].flatMap((encoding) => FORMATS.map((format) => [size, encoding, format] as const)),
);

test.each(KINDS)(
  'sends the same bytes under the same ETag, idle and busy: %s, %s, %s (decision 113)',
  async (size, encoding, format) => {
    const headers = { Accept: format, 'Accept-Encoding': encoding };
    const download = async () => {
      const response = await call(service.url, { path: '/stock', token: tokens[size]!, headers, agent });
      return `${response.status} ${response.headers.etag} ${response.bytes.toString('base64')}`;
    };
    const seen = new Set<string>();
    for (let time = 0; time < TIMES; time++) seen.add(await download());
    for (const one of await Promise.all(Array.from({ length: TIMES }, download))) seen.add(one);
    expect([...seen]).toEqual([expect.stringMatching(/^200 "/)]);
  },
  60_000,
);
