import { applied, deltaSince, type KeptState, sorted, wholeState } from './support/change-oracle.js';
import { changeCatalogue, FORCE, price, product, REPLACE, SKUS } from './support/change-catalogue.js';
import { ENDPOINTS } from './support/expected-responses.js';
import { call } from './support/http-call.js';
import { importFiles } from './support/import-files.js';
import { TestService } from './support/test-service.js';

// A delta that always contains every element would be correct but useless. For these histories, deltas must be small.

type Path = (typeof ENDPOINTS)[number];

let service: TestService;
let token: string;
beforeAll(async () => {
  service = await TestService.start({ JWT_SECRET: 's'.repeat(40) });
});
afterAll(() => service.close());

const load = (files: Parameters<typeof importFiles>[0], ...options: string[]) =>
  service.database.load(importFiles(files), ...options);
const set = (...options: string[]) =>
  service.database.cliOk('customer', 'set', 'C', ...options, '--allow-price-changes');

/** The same catalogue before each history. The customer sees A to E. F is on another list. */
beforeEach(async () => {
  const prices = [...SKUS.slice(0, 5).map((sku) => price(sku, '10')), price('F', '10', 'M')];
  await service.database.load(changeCatalogue(prices, [['C', 'Customer', 'L', 'W', '10']]), ...FORCE);
  await set('--discount', '10', '--price-list', 'L', '--warehouse', 'W');
  token ??= await service.token('C');
});

/** The expected delta of each path after the history: its changed and gone SKUs. Null: nothing has changed. */
type Expected = Partial<Record<Path, { changed?: string[]; gone?: string[] } | null>>;

const HISTORIES: [string, () => Promise<unknown>, Expected][] = [
  ['no import', async () => undefined, { '/products': null, '/prices': null, '/stock': null }],
  [
    'an import of the same rows',
    () => load({ 'stock.csv': [['W', 'A', '5']] }),
    { '/products': null, '/prices': null, '/stock': null },
  ],
  [
    'an import of stock',
    () =>
      load({
        'stock.csv': [
          ['W', 'A', '4'],
          ['W', 'F', '4'],
          ['X', 'B', '1'],
        ],
      }),
    { '/products': null, '/prices': null, '/stock': { changed: ['A'] } },
  ],
  [
    'two imports of stock',
    async () => {
      await load({ 'stock.csv': [['W', 'A', '4']] });
      await load({ 'stock.csv': [['W', 'B', '4']] });
    },
    { '/stock': { changed: ['A', 'B'] } },
  ],
  [
    'an import of prices',
    () => load({ 'prices.csv': [price('B', '11'), price('F', '9', 'M')] }),
    { '/products': { changed: ['B'] }, '/prices': { changed: ['B'] }, '/stock': { changed: ['B'] } },
  ],
  [
    'an import of an image',
    () => load({ 'product_images.csv': [['C', '1', 'c.jpg', 'true']] }),
    { '/products': { changed: ['C'] } },
  ],
  [
    'a product becomes OBSOLETE',
    () => load({ 'products.csv': [product('D', 'Name of D', 'OBSOLETE')] }),
    { '/products': { gone: ['D'] }, '/prices': { gone: ['D'] }, '/stock': { gone: ['D'] } },
  ],
  [
    'a product becomes OBSOLETE and then ACTIVE',
    async () => {
      await load({ 'products.csv': [product('D', 'Name of D', 'OBSOLETE')] });
      await load({ 'products.csv': [product('D', 'Name of D', 'ACTIVE')] });
    },
    { '/products': { changed: ['D'] }, '/prices': { changed: ['D'] }, '/stock': { changed: ['D'] } },
  ],
  [
    'a product is removed and created again',
    async () => {
      const rest = SKUS.filter((sku) => sku !== 'B');
      await load({ 'products.csv': rest.map((sku) => product(sku, `Name of ${sku}`)) }, ...REPLACE);
      await load({
        'products.csv': [product('B', 'New')],
        'prices.csv': [price('B', '12')],
        'stock.csv': [['W', 'B', '5']],
      });
    },
    { '/products': { changed: ['B'] }, '/prices': { changed: ['B'] }, '/stock': { changed: ['B'] } },
  ],
  [
    '--replace removes prices',
    () =>
      load({ 'prices.csv': [...['A', 'B', 'C'].map((sku) => price(sku, '10')), price('F', '10', 'M')] }, ...REPLACE),
    { '/products': { gone: ['D', 'E'] }, '/prices': { gone: ['D', 'E'] }, '/stock': { gone: ['D', 'E'] } },
  ],
  [
    '--replace removes stock',
    () => load({ 'stock.csv': ['A', 'B', 'C', 'F'].map((sku) => ['W', sku, '5']) }, ...REPLACE),
    { '/products': null, '/prices': null, '/stock': { gone: ['D', 'E'] } },
  ],
  [
    'a list is renamed and then gets its old name back',
    async () => {
      await load({ 'price_lists.csv': [['L', 'Renamed', 'EUR']] });
      await load({ 'price_lists.csv': [['L', 'List', 'EUR']] });
    },
    { '/products': {}, '/prices': {}, '/stock': {} },
  ],
  [
    'the terms change and change back, with an import in between',
    async () => {
      await set('--discount', '20');
      await load({ 'prices.csv': [price('E', '11')] });
      await set('--discount', '10');
    },
    { '/products': { changed: ['E'] }, '/prices': { changed: ['E'] }, '/stock': { changed: ['E'] } },
  ],
  [
    'the price list changes and changes back, with imports into both lists',
    async () => {
      await set('--price-list', 'M');
      await load({ 'prices.csv': [price('E', '11'), price('F', '12', 'M')] });
      await set('--price-list', 'L');
    },
    { '/prices': { changed: ['E'] } },
  ],
  [
    'a product on another list is removed',
    () =>
      load(
        { 'products.csv': SKUS.filter((sku) => sku !== 'F').map((sku) => product(sku, `Name of ${sku}`)) },
        ...REPLACE,
      ),
    { '/products': {}, '/prices': {}, '/stock': {} },
  ],
];

test.each(HISTORIES)('a delta is small after %s', async (_name, history, expected) => {
  const before = new Map<Path, KeptState>();
  for (const path of ENDPOINTS) before.set(path, await wholeState(service, path, token));
  await history();
  for (const [path, changes] of Object.entries(expected) as [Path, Expected[Path]][]) {
    const base = before.get(path)!;
    const delta = await deltaSince(service, path, token, base.etag);
    if (!changes) expect([path, delta]).toEqual([path, undefined]);
    else {
      const { changed = [], gone = [] } = changes;
      const got = { complete: delta?.complete, changed: [...(delta?.changed.keys() ?? [])], gone: delta?.gone };
      expect([path, got]).toEqual([path, { complete: false, changed, gone }]);
    }
    expect(sorted(applied(base, delta))).toEqual(sorted(await wholeState(service, path, token)));
  }
});

test('a delta is small if its base is a state that another program created', async () => {
  const first = await wholeState(service, '/stock', token);
  await service.database.sql(`UPDATE stock SET AvailableQTY = 6 WHERE SKU = 'A'`);
  const foreign = await deltaSince(service, '/stock', token, first.etag);
  expect([foreign?.complete, foreign?.changed.size]).toEqual([true, 5]);
  await load({ 'stock.csv': [['W', 'B', '7']] });
  const delta = await deltaSince(service, '/stock', token, foreign!.etag);
  expect([delta?.complete, [...delta!.changed.keys()]]).toEqual([false, ['B']]);
  expect((await deltaSince(service, '/stock', token, first.etag))?.complete).toBe(true);
});

test.each([
  ['there is no base', () => []],
  ['the base is *', () => ['*']],
  ['the base is a tag of another path', async () => [(await wholeState(service, '/prices', token)).etag]],
  ['the base is a forged tag', ({ etag }: KeptState) => [etag.replace(/\.[^.]+"$/, '.a~b~c"')]],
  ['one base is known and another one is not', ({ etag }: KeptState) => [etag, '"unknown"']],
  [
    'the version of the base was superseded 31 days ago',
    async ({ etag }: KeptState) => {
      const past = new Date(Date.now() - 31 * 86_400_000).toISOString().slice(0, 19).replace('T', ' ');
      await service.database.sql('UPDATE version_history SET SupersededAt = ? WHERE SupersededAt IS NOT NULL', [past]);
      await load({ 'stock.csv': [['X', 'A', String(Date.now())]] });
      return [etag];
    },
  ],
])('the response is complete if %s', async (_name, bases) => {
  const state = await wholeState(service, '/stock', token);
  await load({ 'stock.csv': [['W', 'A', '3']] });
  const delta = await deltaSince(service, '/stock', token, ...(await bases(state)));
  expect([delta?.complete, delta?.changed.size, delta?.gone]).toEqual([true, 5, []]);
});

test.each<[string, (etag: string) => string]>([
  ['as a weak tag', (etag) => `W/${etag}`],
  ['without quotes', (etag) => etag.slice(1, -1)],
  ['with the suffix of Apache', (etag) => etag.replace(/"$/, '-gzip"')],
  ['as a weak tag with the suffix of Jetty', (etag) => `W/${etag.replace(/"$/, '--gzip"')}`],
  ['with the suffix of Django and without quotes', (etag) => `${etag.slice(1, -1)};gzip`],
])('a base %s is the same base', async (_spelling, spell) => {
  const { etag } = await wholeState(service, '/stock', token);
  expect(await deltaSince(service, '/stock', token, spell(etag))).toBeUndefined();
  await load({ 'stock.csv': [['W', 'A', '3']] });
  const delta = await deltaSince(service, '/stock', token, spell(etag));
  expect([delta?.complete, [...delta!.changed.keys()]]).toEqual([false, ['A']]);
});

test('a version that ends like the suffix of a proxy is another version', async () => {
  const rename = (version: string) => service.database.sql(`UPDATE content_versions SET Version = '${version}'`);
  await rename('v-gzip');
  const { etag } = await wholeState(service, '/stock', token);
  expect(await deltaSince(service, '/stock', token, etag)).toBeUndefined();
  await rename('v');
  expect((await deltaSince(service, '/stock', token, etag))?.complete).toBe(true);
});

test('the oldest of several known states is the base', async () => {
  const first = await wholeState(service, '/stock', token);
  await load({ 'stock.csv': [['W', 'A', '3']] });
  const second = await wholeState(service, '/stock', token);
  const delta = await deltaSince(service, '/stock', token, second.etag, first.etag);
  expect([delta?.complete, [...delta!.changed.keys()]]).toEqual([false, ['A']]);
});

test('a delta in JSON has the same bytes for each element as the whole response', async () => {
  const headers = { 'If-None-Match': (await wholeState(service, '/products', token)).etag };
  await load({ 'products.csv': [product('A', 'A "quoted", name'), product('B', 'Name of B', 'OBSOLETE')] });
  const { body: whole } = await call(service.url, { path: '/products', token });
  const response = await call(service.url, { path: '/products/changes', token, headers });
  const [first] = JSON.parse(whole);
  const text = whole.slice(1, whole.indexOf(',{"SKU":"C"'));
  expect(first.SKU).toBe('A');
  expect(response.body).toBe(
    `{"ETag":${JSON.stringify(response.headers.etag)},"Complete":false,"Changed":[${text}],"Gone":["B"]}`,
  );
  expect(response.headers).toMatchObject({
    etag: expect.stringMatching(/^W\/"/),
    'cache-control': 'private, no-store',
    'content-type': 'application/json; charset=utf-8',
    vary: 'Authorization, Accept, Accept-Encoding',
  });
});

test('CSV is not available, and the error names the available formats', async () => {
  const { status, body } = await call(service.url, { path: '/stock/changes', token, headers: { Accept: 'text/csv' } });
  expect([status, body]).toEqual([406, expect.stringContaining('application/json, application/x-ndjson')]);
});

test('HEAD has the headers of GET and no body', async () => {
  const { etag } = await wholeState(service, '/stock', token);
  await load({ 'stock.csv': [['W', 'A', '2']] });
  const request = { path: '/stock/changes', token, headers: { 'If-None-Match': etag } };
  const [head, get] = [await call(service.url, { ...request, method: 'HEAD' }), await call(service.url, request)];
  expect([head.status, head.headers.etag, head.body]).toEqual([200, get.headers.etag, '']);
});
