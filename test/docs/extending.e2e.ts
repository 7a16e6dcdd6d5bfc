import { execFileSync } from 'node:child_process';
import { type ReceivedResponse, call, tokenCall, tokenIn } from '../support/http-call.js';
import { ServiceProcess } from '../support/service-process.js';
import { A, smallCatalogue } from '../support/small-catalogue.js';
import { TestDatabase } from '../support/test-service.js';
import { stepsOf, TreeCopy } from '../support/walk.js';

const WALKS = ['Add a field', 'Add a nested array', 'Add an endpoint', 'Add an API profile'];

type Json = Record<string, unknown>;

interface Operation {
  deprecated?: boolean;
  description: string;
  responses: Record<string, { headers: Json }>;
}

let tree: TreeCopy;
let database: TestDatabase;
let service: ServiceProcess;
let url: string;
let managementUrl: string;
let ask: (path: string, headers?: Record<string, string>) => Promise<ReceivedResponse>;
let document: { info: Json; components: { schemas: Record<string, { properties: Json }> }; paths: Json };

/** The extended release continues with a database of the current release. */
beforeAll(async () => {
  tree = new TreeCopy();
  for (const chapter of WALKS) tree.follow(stepsOf('docs/extending.md', chapter));
  tree.build();
  database = await TestDatabase.create();
  await database.load(smallCatalogue);
  const client_secret = await database.cliOk('key', 'issue', A);
  extendedCli('migrate');
  const environment = { DATABASE_URL: database.url, DEMO_DATA: 'false' };
  service = ServiceProcess.start(environment, database.folder, { main: tree.main });
  ({ url, managementUrl } = await service.ready());
  const token = tokenIn(await call(url, tokenCall(A, client_secret)));
  ask = (path, headers) => call(url, { path, token, headers });
  document = JSON.parse((await call(managementUrl, { path: '/openapi.json' })).body) as typeof document;
}, 180_000);
afterAll(async () => {
  await service?.stop();
  await database?.drop();
  tree?.remove();
});

function extendedCli(...args: string[]): string {
  const env = { PATH: process.env.PATH, DATABASE_URL: database.url };
  return execFileSync(process.execPath, [tree.cli, ...args], { env, encoding: 'utf8' });
}

const get = async (path: string) => JSON.parse((await ask(path)).body) as unknown;
const byName = (fields: unknown) => new Map((fields as Json[]).map((field) => [field.name, field]));

test('the code of the guide has correct types', () => {
  const code = JSON.stringify({ extends: './tsconfig.json', include: ['src'], exclude: ['src/**/*.spec.ts'] });
  tree.follow([{ file: 'tsconfig.guide.json', code }]);
  expect(tree.run('tsc', ['--project', 'tsconfig.guide.json'])).toEqual([0, '']);
}, 180_000);

test('a new field needs one declaration and a migration to be stored, imported, returned and described', async () => {
  const [header, ...products] = smallCatalogue['products.csv']!.trimEnd().split('\n');
  const rows = products.map((line) => `${line},${line.startsWith('SHARED,') ? 'Winter' : ''}`);
  const files = await database.files({ 'products.csv': [`${header},Season`, ...rows].join('\n') });
  expect((await get('/products')) as Json[]).toContainEqual(expect.objectContaining({ SKU: 'SHARED', Season: null }));
  extendedCli('import', files);
  const product = ((await get('/products')) as Json[]).find(({ SKU }) => SKU === 'SHARED');
  expect(Object.keys(product!).slice(28, 31)).toEqual(['ProductCompositionText', 'Season', 'ProductImages']);
  expect(product!.Season).toBe('Winter');
  const { fields } = (await get('/products/schema')) as Json;
  expect(byName(fields).get('season')).toEqual({
    name: 'season',
    type: 'string',
    required: false,
    wireName: 'Season',
  });
  expect(document.components.schemas.Product!.properties.Season).toEqual({
    description: 'Season that it is made for.',
    type: ['string', 'null'],
    maxLength: 64,
    examples: ['Carnival 2027'],
  });
});

test('a new decimal field of another resource is imported, returned and described', async () => {
  const stock = async () => ((await get('/stock')) as Json[]).find(({ SKU }) => SKU === 'SHARED');
  expect(await stock()).toMatchObject({ NextAvailableQTY: null });
  const [header, ...rows] = smallCatalogue['stock.csv']!.trimEnd().split('\n');
  const lines = rows.map((line) => `${line},${line.startsWith('WH-A,SHARED,') ? '12.50' : ''}`);
  extendedCli('import', await database.files({ 'stock.csv': [`${header},NextAvailableQTY`, ...lines].join('\n') }));
  expect(Object.entries((await stock())!).at(-1)).toEqual(['NextAvailableQTY', 12.5]);
  const { fields } = (await get('/stock/schema')) as Json;
  expect(byName(fields).get('nextAvailableQTY')).toMatchObject({ type: 'decimal', wireName: 'NextAvailableQTY' });
  expect(document.components.schemas.StockEntry!.properties.NextAvailableQTY).toMatchObject({ format: 'decimal' });
});

test('a new nested array is imported and returned, and a change by another program is visible at once', async () => {
  const files = await database.files({
    'product_videos.csv': 'SKU,VideoID,Url\nSHARED,V-2,\nSHARED,V-1,https://x/1\n',
  });
  extendedCli('import', files);
  const videos = async () => ((await get('/products')) as Json[]).find(({ SKU }) => SKU === 'SHARED')!.ProductVideos;
  expect(await videos()).toEqual([
    { VideoID: 'V-1', Url: 'https://x/1' },
    { VideoID: 'V-2', Url: null },
  ]);
  await database.sql(`DELETE FROM product_videos WHERE VideoID = 'V-1'`);
  expect(await videos()).toEqual([{ VideoID: 'V-2', Url: null }]);
  const { arrays } = (await get('/products/schema')) as { arrays: Record<string, Json> };
  expect(byName(arrays.productVideos!.fields).size).toBe(2);
  expect(document.components.schemas.ProductVideo).toBeDefined();
});

const etag = async () => (await ask('/deliveries')).headers.etag!;
const status = async (tag: string) => (await ask('/deliveries', { 'If-None-Match': tag })).status;

describe('a new endpoint with its own table', () => {
  // 700 SKUs with three days each: more rows than a batch, and batches that end within a SKU.
  const SKUS = Array.from({ length: 700 }, (_, index) => `T-${String(index).padStart(3, '0')}`);
  const DAYS = ['2027-01-15', '2027-01-16', '2027-02-01'];
  const lines = (quantity: string) =>
    SKUS.flatMap((sku) => DAYS.map((day) => ['WH-A', sku, day, quantity].join())).join('\n');
  const HEADER = 'WarehouseCode,SKU,ExpectedOn,Quantity';
  const expected = (Quantity: number) =>
    SKUS.flatMap((SKU) => DAYS.map((ExpectedOn) => ({ SKU, ExpectedOn, Quantity })));

  beforeAll(async () => {
    const { 'products.csv': products, 'prices.csv': prices } = smallCatalogue;
    const columns = products!.split('\n')[0]!.split(',').length;
    const files = {
      'products.csv': [`${products!.split('\n')[0]},Season`, ...SKUS.map((sku) => sku + ','.repeat(columns))],
      'prices.csv': [prices!.split('\n')[0]!, ...SKUS.map((sku) => `LIST-A,${sku},1,,,true`)],
      'deliveries.csv': [HEADER, lines('12.50'), 'WH-B,T-000,2027-01-15,77', 'WH-A,B-ONLY,2027-01-15,88'],
    };
    const texts = Object.entries(files).map(([name, all]) => [name, `${all.join('\n')}\n`]);
    extendedCli('import', await database.files(Object.fromEntries(texts)));
  });

  test('returns all 2,100 rows of the customer and names the last SKU', async () => {
    const { body, headers } = await ask('/deliveries');
    expect(JSON.parse(body)).toEqual(expected(12.5));
    expect(headers['x-last-sku']).toBe('T-699');
  });

  test('has a schema, all formats and a place in the OpenAPI document, and needs a token', async () => {
    expect(await get('/deliveries/schema')).toMatchObject({
      endpoint: '/deliveries',
      apiVersion: '2027-01',
      fields: ['sKU', 'expectedOn', 'quantity'].map((name) => ({ name })),
    });
    const csv = (await ask('/deliveries', { Accept: 'text/csv' })).body.trimEnd().split('\r\n');
    expect([csv.length, ...csv.slice(0, 2)]).toEqual([2101, 'SKU,ExpectedOn,Quantity', 'T-000,2027-01-15,12.5']);
    expect((await call(url, { path: '/deliveries' })).status).toBe(401);
    expect(Object.keys(document.paths)).toEqual(expect.arrayContaining(['/deliveries', '/deliveries/schema']));
  });

  test('never returns a stale 304, neither after an import nor after a change by another program', async () => {
    const first = await etag();
    expect(await status(first)).toBe(304);
    extendedCli('import', await database.files({ 'deliveries.csv': `${HEADER}\n${lines('13')}\n` }));
    expect(await status(first)).toBe(200);
    expect(await get('/deliveries')).toEqual(expected(13));
    const second = await etag();
    await database.sql(`UPDATE deliveries SET Quantity = '14' WHERE SKU = 'T-350'`);
    expect(await status(second)).toBe(200);
    const third = await etag();
    // Rows of another warehouse do not change the response to this customer.
    await database.sql(`UPDATE deliveries SET Quantity = '78' WHERE WarehouseCode = 'WH-B'`);
    expect(await status(third)).toBe(304);
    extendedCli(
      'import',
      await database.files({ 'deliveries.csv': `${HEADER}\nWH-A,T-000,2027-01-15,1\n` }),
      '--replace',
      '--allow-removals',
    );
    expect(await get('/deliveries')).toEqual([{ SKU: 'T-000', ExpectedOn: '2027-01-15', Quantity: 1 }]);
    expect(await status(third)).toBe(200);
  });
});

test('a new endpoint without a table returns the scope of the customer, and has a schema and every format', async () => {
  const own = ((await get('/products')) as Json[]).map(({ SKU }) => SKU);
  expect(await get('/barcodes')).toEqual(own.map((SKU) => ({ SKU, Item: null, Carton: null })));
  expect(own).toEqual(expect.arrayContaining(['A-ONLY', 'FIXED', 'SHARED']));
  expect(own).not.toContain('B-ONLY');
  expect(await get('/barcodes/schema')).toMatchObject({ endpoint: '/barcodes', apiVersion: '2027-01' });
  expect((await ask('/barcodes', { Accept: 'text/csv' })).body).toContain('SKU,Item,Carton\r\nA-ONLY,,\r\n');
  expect((await call(url, { path: '/barcodes' })).status).toBe(401);
  expect(Object.keys(document.paths)).toEqual(expect.arrayContaining(['/barcodes', '/barcodes/schema']));
});

test('a deprecated endpoint says so in its responses and in the OpenAPI document', async () => {
  const headers = {
    deprecation: '@1799971200',
    sunset: 'Sat, 15 Jan 2028 00:00:00 GMT',
    link: '<https://docs.example.com/versioning.html>; rel="deprecation"; type="text/html"',
  };
  for (const path of ['/prices', '/prices/changes', '/prices/schema']) {
    const whole = await ask(path);
    expect([whole.status, whole.headers]).toEqual([200, expect.objectContaining(headers)]);
    const unchanged = await ask(path, { 'If-None-Match': whole.headers.etag! });
    expect([unchanged.status, unchanged.headers]).toEqual([304, expect.objectContaining(headers)]);
    const { get: operation } = document.paths[path] as { get: Operation };
    expect([operation.deprecated, operation.description]).toEqual([true, expect.stringContaining('until 2028-01-15')]);
    for (const code of ['200', '304'])
      expect(Object.keys(operation.responses[code]!.headers)).toEqual(
        expect.arrayContaining(['Deprecation', 'Sunset', 'Link']),
      );
  }
  expect((await ask('/stock')).headers).not.toHaveProperty('deprecation');
  expect((document.paths['/stock'] as { get: Operation }).get.deprecated).toBeUndefined();
});

test('a new API profile appears in /api/version and in the OpenAPI document', async () => {
  expect(await get('/api/version')).toEqual({ apiVersion: '2027-01' });
  expect(document.info.version).toBe('2027-01');
});

test('the management port serves the interface page from any installation folder', async () => {
  const statuses = ['/docs', '/docs/start.js', '/docs/swagger-ui-bundle.js', '/docs/swagger-ui.css'].map(
    async (path) => (await call(managementUrl, { path })).status,
  );
  expect(await Promise.all(statuses)).toEqual([200, 200, 200, 200]);
});
