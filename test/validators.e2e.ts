import { SCHEMAS } from './support/data-endpoints.js';
import { ENDPOINTS } from './support/expected-responses.js';
import { BEGIN, foreignConnection } from './support/foreign-connection.js';
import { type ReceivedResponse, call, left } from './support/http-call.js';
import { importFiles } from './support/import-files.js';
import { catalogueFiles, firstFiles, foreignStatement, SKUS } from './support/random-edits.js';
import { SeededRandom } from './support/seeded-random.js';
import { engine, TestService } from './support/test-service.js';

const JWT_SECRET = 's'.repeat(40);
/** Two customers with the same terms, then one for each term that differs. */
const CUSTOMERS = [
  ['C', '', 'L', 'W', '10'],
  ['SAME', 'of the same terms', 'L', 'W', '10'],
  ['DISCOUNT', '', 'L', 'W', '10.0001'],
  ['LIST', '', 'M', 'W', '10'],
  ['WAREHOUSE', '', 'L', 'V', '10'],
  ['NO-LIST', '', '', 'W', '10'],
  ['NO-WAREHOUSE', '', 'L', '', '10'],
  ['LIMITED', '', 'L', 'W', '10', '4', '1000'],
];
const FILES = importFiles({
  'price_lists.csv': [
    ['L', 'List', 'EUR'],
    ['M', 'List', 'EUR'],
  ],
  'warehouses.csv': [['W'], ['V']],
  'products.csv': ['P', 'Q', 'R'].map((sku) => [sku, 'one']),
  'product_images.csv': [['P', '1', 'one.jpg', 'true']],
  'prices.csv': ['L', 'M'].flatMap((list) => ['P', 'Q', 'R'].map((sku) => [list, sku, '1.50', '', '', 'true'])),
  'stock.csv': ['W', 'V'].flatMap((warehouse) => ['P', 'Q', 'R'].map((sku) => [warehouse, sku, '1'])),
  'customers.csv': CUSTOMERS,
});

let service: TestService;
/** Another replica of the same service. */
let other: TestService;
const tokens: Record<string, string> = {};
beforeAll(async () => {
  service = await TestService.start({ JWT_SECRET, RESPONSE_CACHE_MEGABYTES: '0' });
  other = await TestService.start({ JWT_SECRET, RESPONSE_CACHE_MEGABYTES: '0' }, service.database);
  await resetRows();
  for (const [code] of CUSTOMERS) tokens[code!] = await service.token(code!);
});
afterAll(async () => {
  await other.stop();
  await service.close();
});

/** Replaces the content of the database with these rows. */
async function resetRows(): Promise<void> {
  const folder = await service.database.files(FILES);
  await service.database.cliOk('import', folder, '--replace', '--allow-removals');
}

interface RequestOptions {
  customer?: string;
  from?: TestService;
  method?: string;
  headers?: Record<string, string>;
}
const get = (path: string, { customer = 'C', from = service, ...rest }: RequestOptions = {}) =>
  call(from.url, { path, token: tokens[customer]!, ...rest });
const tagOf = ({ headers }: ReceivedResponse) => headers.etag!;
const tag = async (path: string, options?: RequestOptions) => tagOf(await get(path, options));
const tags = async (options?: RequestOptions) =>
  Object.fromEntries(await Promise.all(ENDPOINTS.map(async (path) => [path, await tag(path, options)])));
const ifNoneMatch = (value: string, more: Record<string, string> = {}) => ({
  headers: { 'If-None-Match': value, ...more },
});
const sql = (statements: string | string[]) => service.database.sql(statements);
const CACHING = { 'cache-control': 'private, no-cache', vary: 'Authorization, Accept, Accept-Encoding' };

const suffixed = (etag: string, suffix: string) => `${etag.slice(0, -1)}${suffix}"`;

/** Paths with the same response for all customers until the next release. */
const CONSTANT = [...SCHEMAS, '/api/version'];

describe.each([...ENDPOINTS, ...CONSTANT])('%s', (path) => {
  test('200, 304 and HEAD have the same strong ETag and caching headers', async () => {
    const full = await get(path);
    expect(full).toMatchObject({
      status: 200,
      headers: { ...CACHING, etag: expect.stringMatching(/^"[\x21\x23-\x7e]{16,}"$/) },
    });
    const same = { ...CACHING, etag: tagOf(full) };
    expect(await get(path, { method: 'HEAD' })).toMatchObject({ status: 200, headers: same, body: '' });
    for (const method of ['GET', 'HEAD']) {
      const response = await get(path, { method, ...ifNoneMatch(tagOf(full)) });
      expect(response).toMatchObject({ status: 304, headers: same, body: '' });
    }
    // A 304 has no headers that describe a body.
    for (const coding of ['identity', 'gzip']) {
      const accept = { 'Accept-Encoding': coding };
      const response = await get(path, ifNoneMatch(await tag(path, { headers: accept }), accept));
      expect(response.status).toBe(304);
      for (const name of ['content-encoding', 'content-length', 'transfer-encoding'])
        expect([name, response.headers[name]]).toEqual([name, undefined]);
    }
  });

  test('a 304 counts against the quota and has the quota headers', async () => {
    const full = await get(path);
    const first = await get(path, ifNoneMatch(tagOf(full)));
    expect(left(first)).toBe(left(full) - 1);
    expect(left(await get(path, ifNoneMatch(tagOf(full))))).toBe(left(full) - 2);
    for (const name of Object.keys(full.headers).filter((header) => header.startsWith('x-rate-limit')))
      expect(first.headers).toHaveProperty(name);
    expect(first.headers).toHaveProperty('x-request-id');
  });

  test.each<[string, number, (ours: string) => string]>([
    ['the ETag', 304, (ours) => ours],
    ['the ETag as a weak one', 304, (ours) => `W/${ours}`],
    ['a list that ends with the ETag', 304, (ours) => `"a", W/"b" ,"c,d",${ours}`],
    ['a list that begins with the ETag', 304, (ours) => `${ours}, "a"`],
    ['*', 304, () => '*'],
    ['another ETag', 200, () => '"another"'],
    ['a part of the ETag', 200, (ours) => `${ours.slice(0, -2)}"`],
    ['the ETag and another character', 200, (ours) => `${ours.slice(0, -1)}x"`],
    ['the ETag without quotes', 304, (ours) => ours.slice(1, -1)],
    ['the ETag with the suffix of Apache', 304, (ours) => suffixed(ours, '-gzip')],
    ['the ETag with the suffix of brotli', 304, (ours) => suffixed(ours, '-br')],
    ['the ETag as a weak one with the suffix of Jetty', 304, (ours) => `W/${suffixed(ours, '--gzip')}`],
    ['the ETag with the suffix of Django', 304, (ours) => suffixed(ours, ';gzip')],
    ['another ETag with a suffix', 200, () => '"another-gzip"'],
    ['a part of the ETag with a suffix', 200, (ours) => suffixed(`${ours.slice(0, -2)}"`, '-gzip')],
    ['the ETag with another suffix', 200, (ours) => suffixed(ours, '-2')],
    ['the ETag in lower case', 200, (ours) => ours.toLowerCase()],
    ['nonsense', 200, () => ',,"",W/,"'],
    ['an empty value', 200, () => ''],
  ])('If-None-Match with %s returns %i', async (_what, status, value) => {
    const full = await get(path);
    const response = await get(path, ifNoneMatch(value(tagOf(full))));
    expect([response.status, tagOf(response)]).toEqual([status, tagOf(full)]);
    expect(response.body).toBe(status === 200 ? full.body : '');
  });

  test('Cache-Control of a request does not prevent a 304 (decision 89)', async () => {
    const ours = await tag(path);
    for (const header of ['no-cache', 'max-age=0', 'no-store'])
      expect(await get(path, ifNoneMatch(ours, { 'Cache-Control': header }))).toMatchObject({ status: 304 });
    const conditional = { Authorization: `Bearer ${tokens.C}`, 'If-None-Match': ours, 'Accept-Encoding': 'identity' };
    // fetch adds no-cache by itself.
    expect((await fetch(service.url + path, { headers: conditional })).status).toBe(304);
  });

  test('If-Modified-Since is ignored, alone and with If-None-Match', async () => {
    const later = { 'If-Modified-Since': new Date(Date.now() + 86_400_000).toUTCString() };
    const earlier = { 'If-Modified-Since': new Date(0).toUTCString() };
    expect(await get(path, { headers: later })).toMatchObject({ status: 200 });
    const ours = await tag(path);
    for (const date of [later, earlier]) {
      expect(await get(path, ifNoneMatch('"another"', date))).toMatchObject({ status: 200 });
      expect(await get(path, ifNoneMatch(ours, date))).toMatchObject({ status: 304 });
    }
  });
});

describe.each(ENDPOINTS)('%s', (path) => {
  test('the ETag is the same on every replica, for every token and every customer with the same terms', async () => {
    const expected = await get(path);
    const another = await service.token('C');
    for (const from of [service, other]) {
      for (const customer of ['C', 'SAME']) {
        const response = await get(path, { customer, from });
        expect([tagOf(response), response.body]).toEqual([tagOf(expected), expected.body]);
      }
      expect(tagOf(await call(from.url, { path, token: another }))).toBe(tagOf(expected));
    }
    expect(await get(path, { customer: 'SAME', from: other, ...ifNoneMatch(tagOf(expected)) })).toMatchObject({
      status: 304,
    });
  });

  test('each encoding has a different ETag', async () => {
    const all = await Promise.all(
      ['identity', 'gzip', 'br'].map((encoding) => tag(path, { headers: { 'Accept-Encoding': encoding } })),
    );
    expect(new Set(all).size).toBe(3);
    const compressed = ifNoneMatch(all[0]!, { 'Accept-Encoding': 'gzip' });
    expect(await get(path, compressed)).toMatchObject({ status: 200 });
    expect(await get(path, ifNoneMatch(all[1]!, { 'Accept-Encoding': 'gzip' }))).toMatchObject({ status: 304 });
  });

  test('no spelling of another tag makes a 304', async () => {
    const ours = await tag(path);
    const requests: RequestOptions[] = [
      ...['DISCOUNT', 'LIST', 'NO-LIST', 'WAREHOUSE', 'NO-WAREHOUSE'].map((customer) => ({ customer })),
      ...['application/x-ndjson', 'text/csv', 'text/csv;delimiter=semicolon', 'text/csv;decimal=comma'].map(
        (Accept) => ({
          headers: { Accept },
        }),
      ),
      ...['gzip', 'br'].map((encoding) => ({ headers: { 'Accept-Encoding': encoding } })),
    ];
    const others = await Promise.all(requests.map((request) => tag(path, request)));
    others.push(...(await Promise.all(ENDPOINTS.filter((data) => data !== path).map((data) => tag(data)))));
    const different = others.filter((etag) => etag !== ours);
    expect(different.length).toBeGreaterThanOrEqual(requests.length - 2);
    const spellings = different.flatMap((etag) => [etag.slice(1, -1), suffixed(etag, '-gzip'), suffixed(etag, ';br')]);
    expect(await get(path, ifNoneMatch(spellings.join()))).toMatchObject({ status: 200 });
    expect(await get(path, ifNoneMatch([...spellings, suffixed(ours, '-gzip')].join()))).toMatchObject({ status: 304 });
  });

  test('errors have no ETag, and no 304 replaces an error', async () => {
    const headers = { 'If-None-Match': '*', 'Accept-Encoding': 'gzip' };
    const failing = async (status: number, customer = 'C') => {
      for (const sent of [headers, {}]) {
        const response = await call(service.url, { path, token: tokens[customer] ?? '', headers: sent });
        expect(response.status).toBe(status);
        for (const name of ['etag', 'content-encoding'])
          expect([name, response.headers[name]]).toEqual([name, undefined]);
        expect(JSON.parse(response.body)).toEqual(
          status === 429 ? { message: expect.any(String) } : { error: expect.anything() },
        );
      }
    };
    await failing(401, 'unknown');
    await sql(`UPDATE customers SET Active = 0 WHERE CustomerCode = 'SAME'`);
    await failing(404, 'SAME');
    await sql(`UPDATE customers SET Active = 1 WHERE CustomerCode = 'SAME'`);
    for (let request = 0; request < 4; request++) await get(path, { customer: 'LIMITED' });
    await failing(429, 'LIMITED');
    await sql('ALTER TABLE price_lists RENAME TO hidden_lists');
    await failing(500);
    await sql('ALTER TABLE hidden_lists RENAME TO price_lists');
  });

  test('a 304 needs no catalogue query, and a failed query returns no ETag, for HEAD as well', async () => {
    const ours = await tag(path);
    await sql('ALTER TABLE prices RENAME TO hidden_prices');
    try {
      for (const method of ['GET', 'HEAD']) {
        const response = await get(path, { method });
        expect([response.status, tagOf(response), response.headers['cache-control']]).toEqual([
          500,
          undefined,
          undefined,
        ]);
        expect((await get(path, { method, ...ifNoneMatch(ours) })).status).toBe(304);
      }
    } finally {
      await sql('ALTER TABLE hidden_prices RENAME TO prices');
    }
  });
});

test.each(CONSTANT)('%s has the same ETag on every replica and for every customer', async (path) => {
  const expected = await get(path);
  const response = await get(path, { customer: 'LIST', from: other });
  expect([tagOf(response), response.body]).toEqual([tagOf(expected), expected.body]);
});

describe('terms', () => {
  test.each([
    ['DISCOUNT', ['/products', '/prices']],
    ['LIST', ['/products', '/prices']],
    ['NO-LIST', [...ENDPOINTS]],
    ['WAREHOUSE', ['/stock']],
    ['NO-WAREHOUSE', ['/stock']],
  ])('of %s change the ETags of %j', async (customer, paths) => {
    const [ours, theirs] = [await tags(), await tags({ customer })];
    for (const path of paths) expect([path, theirs[path]]).not.toEqual([path, ours[path]]);
  });
});

const ALL = [...ENDPOINTS];
const PRICED = ['/products', '/prices'];
const file = (name: string, ...row: string[]) => importFiles({ [name]: [row] });

describe('a committed change', () => {
  beforeEach(resetRows);

  test.each<[string, string[], string[], Record<string, string> | string]>([
    // Columns: title, paths whose ETag changes, paths whose ETag stays the same, the change.
    ['a product', ['/products'], [], file('products.csv', 'P', 'two')],
    ['a new product without a price', [], [], file('products.csv', 'S', 'two')],
    ['an image', ['/products'], [], file('product_images.csv', 'P', '1', 'two.jpg')],
    ['an accessory', ['/products'], [], file('product_accessories.csv', 'P', 'Q')],
    ['a substitute', ['/products'], [], file('product_substitutions.csv', 'P', 'Q')],
    ['a material', ['/products'], [], file('product_composition.csv', 'P', 'PES')],
    ['a price', PRICED, [], file('prices.csv', 'L', 'P', '2', '', '', 'true')],
    ['the name of the list', PRICED, [], file('price_lists.csv', 'L', 'two', 'EUR')],
    ['the currency of the list', PRICED, [], file('price_lists.csv', 'L', 'List', 'USD')],
    ['stock', ['/stock'], PRICED, file('stock.csv', 'W', 'P', '2')],
    ['the discount', PRICED, [], file('customers.csv', 'C', '', 'L', 'W', '11')],
    ['the list of the customer', PRICED, [], file('customers.csv', 'C', '', 'M', 'W', '10')],
    ['the warehouse of the customer', ['/stock'], [], file('customers.csv', 'C', '', 'L', 'V', '10')],
    ['the name of the customer', [], ALL, file('customers.csv', 'C', 'two', 'L', 'W', '10')],
    ['a price of another list', [], ALL, file('prices.csv', 'M', 'P', '2', '', '', 'true')],
    ['the name of another list', [], ALL, file('price_lists.csv', 'M', 'two', 'EUR')],
    ['stock of another warehouse', [], ALL, file('stock.csv', 'V', 'P', '2')],
    ['another customer', [], ALL, file('customers.csv', 'SAME', '', 'M', 'V', '11')],
    ['none: the same files again', [], ALL, FILES],
    ['a product by SQL', ['/products'], [], `UPDATE products SET Name = 'two' WHERE SKU = 'P'`],
    ['the status of a product by SQL', ALL, [], `UPDATE products SET Status = 'OBSOLETE' WHERE SKU = 'P'`],
    ['a deleted product by SQL', ALL, [], `DELETE FROM products WHERE SKU = 'P'`],
    ['an image by SQL', ['/products'], [], `DELETE FROM product_images`],
    ['an accessory by SQL', ['/products'], [], `INSERT INTO product_accessories VALUES ('P', 'Q')`],
    ['a substitute by SQL', ['/products'], [], `INSERT INTO product_substitutions VALUES ('P', 'Q')`],
    ['a material by SQL', ['/products'], [], `INSERT INTO product_composition VALUES ('P', 'PES', NULL, NULL)`],
    ['a price by SQL', ALL, [], `DELETE FROM prices WHERE PriceListCode = 'L' AND SKU = 'P'`],
    ['prices that move to another product by SQL', ALL, [], `UPDATE prices SET SKU = 'none' WHERE SKU = 'P'`],
    [
      'the name of the list by SQL',
      PRICED,
      [],
      `UPDATE price_lists SET PriceListName = 'two' WHERE PriceListCode = 'L'`,
    ],
    ['stock by SQL', ['/stock'], PRICED, `UPDATE stock SET AvailableQTY = '2' WHERE WarehouseCode = 'W'`],
    [
      'stock transferred from another warehouse by SQL',
      ['/stock'],
      PRICED,
      `UPDATE stock SET WarehouseCode = 'W' WHERE SKU = 'N'`,
    ],
    ['deleted stock by SQL', ['/stock'], PRICED, `DELETE FROM stock WHERE WarehouseCode = 'W'`],
    ['stock of another warehouse by SQL', [], ALL, `DELETE FROM stock WHERE WarehouseCode = 'V'`],
    ['prices of another list by SQL', [], ALL, `UPDATE prices SET Price = '9' WHERE PriceListCode = 'M'`],
    ['the discount by SQL', PRICED, [], `UPDATE customers SET DiscountPercentage = '11' WHERE CustomerCode = 'C'`],
  ])(
    '(%s) changes the ETag of each path that shows it, and of none without its content part',
    async (what, changed, unchanged, change) => {
      // Another product, with stock in another warehouse. Some of the changes move rows to it.
      await service.database.load(
        importFiles({
          'products.csv': [['N']],
          'prices.csv': [['L', 'N', '1', '', '', 'true']],
          'stock.csv': [['V', 'N', '1']],
        }),
      );
      const before = await tags();
      const unchecked = engine === 'sqlite' ? 'PRAGMA foreign_keys = OFF' : 'SET FOREIGN_KEY_CHECKS = 0';
      if (typeof change === 'string') await sql(what.includes('move') ? [unchecked, change] : change);
      else await service.database.load(change);
      for (const path of ALL) {
        const now = await get(path, { from: other, ...ifNoneMatch(before[path]!) });
        if (changed.includes(path)) expect([path, now.status, tagOf(now) === before[path]]).toEqual([path, 200, false]);
        if (unchanged.includes(path)) expect([path, now.status, tagOf(now)]).toEqual([path, 304, before[path]]);
      }
    },
  );

  test('is required: a dry run, a failed import and a rolled-back transaction change no ETag', async () => {
    const before = await tags();
    const good = { ...file('products.csv', 'P', 'two'), ...file('stock.csv', 'W', 'P', '2') };
    await service.database.cliOk('import', await service.database.files(good), '--dry-run');
    const bad = { ...good, ...file('prices.csv', 'L', 'nowhere', '1', '', '', 'true') };
    expect(await service.database.cli('import', await service.database.files(bad))).toMatchObject({ code: 1 });
    const foreign = await foreignConnection(service.database);
    await foreign.run(BEGIN);
    for (const statement of [`UPDATE products SET Name = 'three'`, 'DELETE FROM stock', 'DELETE FROM prices'])
      await foreign.run(statement);
    expect(await tags()).toEqual(before);
    await foreign.run('ROLLBACK');
    await foreign.close();
    expect(await tags()).toEqual(before);
  });

  test('back to an earlier state never restores the ETag of an intermediate state', async () => {
    const seen = [await tag('/stock')];
    for (const quantity of ['2', '1', '2']) {
      await sql(`UPDATE stock SET AvailableQTY = '${quantity}'`);
      seen.push(await tag('/stock'));
    }
    expect(new Set([seen[0], seen[1]]).size).toBe(2);
    expect(seen[1]).not.toBe(seen[2]);
    expect(seen[2]).not.toBe(seen[3]);
  });
});

test.each([4, 5])('equal ETags mean equal bytes after random edits, seed %i', async (seed) => {
  const random = new SeededRandom(seed);
  const bodies = new Map<string, string>();
  let changes = 0;
  await resetRows();
  await service.database.load(firstFiles(random));
  for (const code of ['C0', 'C1']) tokens[code] ??= await service.token(code);
  for (let step = 0; step < 25; step++) {
    if (random.chance(0.25)) {
      const files = catalogueFiles(random, random.some(SKUS), 10);
      await service.database.load(files, '--allow-price-changes');
    } else {
      const foreign = await foreignConnection(service.database);
      await foreign.run(BEGIN);
      for (let count = 0; count < 2; count++) {
        const { sql: statement, parameters } = foreignStatement(random);
        await foreign.run(statement, parameters).catch(() => undefined);
      }
      await foreign.run(random.chance(0.8) ? 'COMMIT' : 'ROLLBACK');
      await foreign.close();
    }
    for (const customer of ['C0', 'C1', 'C', 'LIST'])
      for (const path of ENDPOINTS) {
        const response = await get(path, { customer, from: step % 2 ? service : other });
        const key = `${path} ${tagOf(response)}`;
        if (!bodies.has(key)) changes++;
        expect([step, customer, key, response.body]).toEqual([step, customer, key, bodies.get(key) ?? response.body]);
        bodies.set(key, response.body);
      }
  }
  // Check that the edits did change responses.
  expect(changes).toBeGreaterThan(25);
});
