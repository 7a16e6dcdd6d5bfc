import { setTimeout as sleep } from 'node:timers/promises';
import { SCHEMAS } from './support/data-endpoints.js';
import { ENDPOINTS } from './support/expected-responses.js';
import { BEGIN, foreignConnection } from './support/foreign-connection.js';
import { type ReceivedResponse, call, left } from './support/http-call.js';
import { importFiles } from './support/import-files.js';
import { catalogueFiles, firstFiles, foreignStatement, SKUS } from './support/random-edits.js';
import { SeededRandom } from './support/seeded-random.js';
import { engine, TestService } from './support/test-service.js';

const JWT_SECRET = 's'.repeat(40);
/** Two of the same terms, then one for each term that differs. */
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
  await begin();
  for (const [code] of CUSTOMERS) tokens[code!] = await service.token(code!);
});
afterAll(async () => {
  await other.stop();
  await service.close();
});

/** Makes the database hold exactly these rows. */
async function begin(): Promise<void> {
  const folder = await service.database.files(FILES);
  await service.database.cliOk('import', folder, '--replace', '--allow-removals');
}

interface Asking {
  customer?: string;
  from?: TestService;
  method?: string;
  headers?: Record<string, string>;
}
const ask = (path: string, { customer = 'C', from = service, ...rest }: Asking = {}) =>
  call(from.url, { path, token: tokens[customer]!, ...rest });
const tagOf = ({ headers }: ReceivedResponse) => headers.etag!;
const tag = async (path: string, asking?: Asking) => tagOf(await ask(path, asking));
const tags = async (asking?: Asking) =>
  Object.fromEntries(await Promise.all(ENDPOINTS.map(async (path) => [path, await tag(path, asking)])));
const ifNoneMatch = (value: string, more: Record<string, string> = {}) => ({
  headers: { 'If-None-Match': value, ...more },
});
const sql = (statements: string | string[]) => service.database.sql(statements);
const CACHING = { 'cache-control': 'private, no-cache', vary: 'Authorization, Accept, Accept-Encoding' };

/** What is the same for everybody until the next release. */
const CONSTANT = [...SCHEMAS, '/api/version'];

describe.each([...ENDPOINTS, ...CONSTANT])('%s', (path) => {
  test('200, 304 and HEAD tell the same strong validator, and how to cache', async () => {
    const full = await ask(path);
    expect(full).toMatchObject({
      status: 200,
      headers: { ...CACHING, etag: expect.stringMatching(/^"[\x21\x23-\x7e]{16,}"$/) },
    });
    const same = { ...CACHING, etag: tagOf(full) };
    expect(await ask(path, { method: 'HEAD' })).toMatchObject({ status: 200, headers: same, body: '' });
    for (const method of ['GET', 'HEAD']) {
      const response = await ask(path, { method, ...ifNoneMatch(tagOf(full)) });
      expect(response).toMatchObject({ status: 304, headers: same, body: '' });
    }
    // Nothing that speaks of a body which is not there.
    for (const coding of ['identity', 'gzip']) {
      const accept = { 'Accept-Encoding': coding };
      const response = await ask(path, ifNoneMatch(await tag(path, { headers: accept }), accept));
      expect(response.status).toBe(304);
      for (const name of ['content-encoding', 'content-length', 'transfer-encoding'])
        expect([name, response.headers[name]]).toEqual([name, undefined]);
    }
  });

  test('a 304 counts in the quota and tells so, as any answer', async () => {
    const full = await ask(path);
    const first = await ask(path, ifNoneMatch(tagOf(full)));
    expect(left(first)).toBe(left(full) - 1);
    expect(left(await ask(path, ifNoneMatch(tagOf(full))))).toBe(left(full) - 2);
    for (const name of Object.keys(full.headers).filter((header) => header.startsWith('x-rate-limit')))
      expect(first.headers).toHaveProperty(name);
    expect(first.headers).toHaveProperty('x-request-id');
  });

  test.each<[string, number, (ours: string) => string]>([
    ['the tag', 304, (ours) => ours],
    ['the tag as a weak one', 304, (ours) => `W/${ours}`],
    ['several tags, the last of them', 304, (ours) => `"a", W/"b" ,"c,d",${ours}`],
    ['several tags, the first of them', 304, (ours) => `${ours}, "a"`],
    ['anything', 304, () => '*'],
    ['another tag', 200, () => '"another"'],
    ['a part of the tag', 200, (ours) => `${ours.slice(0, -2)}"`],
    ['the tag and something behind', 200, (ours) => `${ours.slice(0, -1)}x"`],
    ['the tag without quotes', 200, (ours) => ours.slice(1, -1)],
    ['the tag in other letters', 200, (ours) => ours.toLowerCase()],
    ['nonsense', 200, () => ',,"",W/,"'],
    ['nothing', 200, () => ''],
  ])('If-None-Match with %s: %i', async (_what, status, value) => {
    const full = await ask(path);
    const response = await ask(path, ifNoneMatch(value(tagOf(full))));
    expect([response.status, tagOf(response)]).toEqual([status, tagOf(full)]);
    expect(response.body).toBe(status === 200 ? full.body : '');
  });

  test('what a client tells caches does not keep it from a 304 (decision 89)', async () => {
    const ours = await tag(path);
    for (const header of ['no-cache', 'max-age=0', 'no-store'])
      expect(await ask(path, ifNoneMatch(ours, { 'Cache-Control': header }))).toMatchObject({ status: 304 });
    const conditional = { Authorization: `Bearer ${tokens.C}`, 'If-None-Match': ours, 'Accept-Encoding': 'identity' };
    // It sends no-cache by itself.
    expect((await fetch(service.url + path, { headers: conditional })).status).toBe(304);
  });

  test('days of a change mean nothing here, alone or beside a tag', async () => {
    const later = { 'If-Modified-Since': new Date(Date.now() + 86_400_000).toUTCString() };
    const earlier = { 'If-Modified-Since': new Date(0).toUTCString() };
    expect(await ask(path, { headers: later })).toMatchObject({ status: 200 });
    const ours = await tag(path);
    for (const days of [later, earlier]) {
      expect(await ask(path, ifNoneMatch('"another"', days))).toMatchObject({ status: 200 });
      expect(await ask(path, ifNoneMatch(ours, days))).toMatchObject({ status: 304 });
    }
  });
});

describe.each(ENDPOINTS)('%s', (path) => {
  test('the validator is the same on every replica, for every token and every customer of the same terms', async () => {
    const expected = await ask(path);
    const another = await service.token('C');
    for (const from of [service, other]) {
      for (const customer of ['C', 'SAME']) {
        const response = await ask(path, { customer, from });
        expect([tagOf(response), response.body]).toEqual([tagOf(expected), expected.body]);
      }
      expect(tagOf(await call(from.url, { path, token: another }))).toBe(tagOf(expected));
    }
    expect(await ask(path, { customer: 'SAME', from: other, ...ifNoneMatch(tagOf(expected)) })).toMatchObject({
      status: 304,
    });
  });

  test('every encoding has another validator', async () => {
    const all = await Promise.all(
      ['identity', 'gzip', 'br'].map((encoding) => tag(path, { headers: { 'Accept-Encoding': encoding } })),
    );
    expect(new Set(all).size).toBe(3);
    const compressed = ifNoneMatch(all[0]!, { 'Accept-Encoding': 'gzip' });
    expect(await ask(path, compressed)).toMatchObject({ status: 200 });
    expect(await ask(path, ifNoneMatch(all[1]!, { 'Accept-Encoding': 'gzip' }))).toMatchObject({ status: 304 });
  });

  test('errors have no validator, and none is hidden by a 304', async () => {
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
    await failing(401, 'nobody');
    await sql(`UPDATE customers SET Active = 0 WHERE CustomerCode = 'SAME'`);
    await failing(404, 'SAME');
    await sql(`UPDATE customers SET Active = 1 WHERE CustomerCode = 'SAME'`);
    for (let request = 0; request < 4; request++) await ask(path, { customer: 'LIMITED' });
    await failing(429, 'LIMITED');
    await sql('ALTER TABLE price_lists RENAME TO hidden_lists');
    await failing(500);
    await sql('ALTER TABLE hidden_lists RENAME TO price_lists');
  });

  test('a 304 needs no query for the catalogue; a response that fails there has no validator, HEAD included', async () => {
    const ours = await tag(path);
    await sql('ALTER TABLE prices RENAME TO hidden_prices');
    try {
      for (const method of ['GET', 'HEAD']) {
        const response = await ask(path, { method });
        expect([response.status, tagOf(response), response.headers['cache-control']]).toEqual([
          500,
          undefined,
          undefined,
        ]);
        expect((await ask(path, { method, ...ifNoneMatch(ours) })).status).toBe(304);
      }
    } finally {
      await sql('ALTER TABLE hidden_prices RENAME TO prices');
    }
  });
});

test.each(CONSTANT)('%s has the same validator on every replica, and for everybody', async (path) => {
  const expected = await ask(path);
  const response = await ask(path, { customer: 'LIST', from: other });
  expect([tagOf(response), response.body]).toEqual([tagOf(expected), expected.body]);
});

describe('terms', () => {
  test.each([
    ['DISCOUNT', ['/products', '/prices']],
    ['LIST', ['/products', '/prices']],
    ['NO-LIST', [...ENDPOINTS]],
    ['WAREHOUSE', ['/stock']],
    ['NO-WAREHOUSE', ['/stock']],
  ])('of %s give other validators to %j', async (customer, paths) => {
    const [ours, theirs] = [await tags(), await tags({ customer })];
    for (const path of paths) expect([path, theirs[path]]).not.toEqual([path, ours[path]]);
  });
});

const ALL = [...ENDPOINTS];
const PRICED = ['/products', '/prices'];
const file = (name: string, ...row: string[]) => importFiles({ [name]: [row] });

describe('a committed change is in the validator of what it changes, and of nothing that has another part', () => {
  beforeEach(begin);

  test.each<[string, string[], string[], Record<string, string> | string]>([
    // what, whose validators change, whose do not, the change
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
    ['nothing: the same files again', [], ALL, FILES],
    ['SQL: a product', ['/products'], [], `UPDATE products SET Name = 'two' WHERE SKU = 'P'`],
    ['SQL: the status of a product', ALL, [], `UPDATE products SET Status = 'OBSOLETE' WHERE SKU = 'P'`],
    ['SQL: a product that goes', ALL, [], `DELETE FROM products WHERE SKU = 'P'`],
    ['SQL: an image', ['/products'], [], `DELETE FROM product_images`],
    ['SQL: an accessory', ['/products'], [], `INSERT INTO product_accessories VALUES ('P', 'Q')`],
    ['SQL: a substitute', ['/products'], [], `INSERT INTO product_substitutions VALUES ('P', 'Q')`],
    ['SQL: a material', ['/products'], [], `INSERT INTO product_composition VALUES ('P', 'PES', NULL, NULL)`],
    ['SQL: a price', ALL, [], `DELETE FROM prices WHERE PriceListCode = 'L' AND SKU = 'P'`],
    ['SQL: prices that move to another product', ALL, [], `UPDATE prices SET SKU = 'none' WHERE SKU = 'P'`],
    ['SQL: the name of the list', PRICED, [], `UPDATE price_lists SET PriceListName = 'two' WHERE PriceListCode = 'L'`],
    ['SQL: stock', ['/stock'], PRICED, `UPDATE stock SET AvailableQTY = '2' WHERE WarehouseCode = 'W'`],
    [
      'SQL: stock that comes from elsewhere',
      ['/stock'],
      PRICED,
      `UPDATE stock SET WarehouseCode = 'W' WHERE SKU = 'N'`,
    ],
    ['SQL: stock that goes', ['/stock'], PRICED, `DELETE FROM stock WHERE WarehouseCode = 'W'`],
    ['SQL: stock of another warehouse', [], ALL, `DELETE FROM stock WHERE WarehouseCode = 'V'`],
    ['SQL: prices of another list', [], ALL, `UPDATE prices SET Price = '9' WHERE PriceListCode = 'M'`],
    ['SQL: the discount', PRICED, [], `UPDATE customers SET DiscountPercentage = '11' WHERE CustomerCode = 'C'`],
  ])('%s', async (what, changed, kept, change) => {
    // One product more, whose stock is elsewhere and whose price nowhere, for what moves.
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
      const now = await ask(path, { from: other, ...ifNoneMatch(before[path]!) });
      if (changed.includes(path)) expect([path, now.status, tagOf(now) === before[path]]).toEqual([path, 200, false]);
      if (kept.includes(path)) expect([path, now.status, tagOf(now)]).toEqual([path, 304, before[path]]);
    }
  });

  test('what is not committed changes nothing: a dry run, a refused import, a transaction rolled back', async () => {
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

  test('a state that comes back may have another validator, and never the one of a state between', async () => {
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

test.each([4, 5])('after random edits of everybody, equal validators mean equal bytes, seed %i', async (seed) => {
  const random = new SeededRandom(seed);
  const bodies = new Map<string, string>();
  let changes = 0;
  await begin();
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
        const response = await ask(path, { customer, from: step % 2 ? service : other });
        const key = `${path} ${tagOf(response)}`;
        if (!bodies.has(key)) changes++;
        expect([step, customer, key, response.body]).toEqual([step, customer, key, bodies.get(key) ?? response.body]);
        bodies.set(key, response.body);
      }
  }
  // It has to be seen that the edits did change answers.
  expect(changes).toBeGreaterThan(25);
});

/** MariaDB has it from 10.6 on, and by default from 11.6 on. MySQL has no such variable. */
const RECORD_HAS_CHANGED = 1020;
async function hasSnapshotIsolation(): Promise<boolean> {
  const [row] = await service.database.sql(`SHOW VARIABLES LIKE 'innodb_snapshot_isolation'`);
  return row?.Value === 'ON';
}

describe('while several write at once', () => {
  beforeEach(begin);

  const WRITERS = ['P', 'Q', 'R'];

  /** A client that asks for what it does not have yet, and keeps what it got. */
  class PollingClient {
    private cached = { tag: '"none"', body: '' };
    hits = 0;

    async read(from: TestService): Promise<Record<string, number>> {
      const { tag: known, body } = this.cached;
      const response = await ask('/stock', { from, ...ifNoneMatch(known) });
      if (![200, 304].includes(response.status)) throw new Error(`${response.status} ${response.body}`);
      if (response.status === 304) this.hits++;
      else this.cached = { tag: tagOf(response), body: response.body };
      const rows = JSON.parse(response.status === 304 ? body : response.body) as {
        SKU: string;
        AvailableQTY: number;
      }[];
      return Object.fromEntries(rows.map(({ SKU, AvailableQTY }) => [SKU, AvailableQTY]));
    }
  }

  test('whoever asks after a commit sees it, 304 or not', async () => {
    const random = new SeededRandom(6);
    const client = new PollingClient();
    const committed: Record<string, number> = { P: 0, Q: 0, R: 0 };
    const writing = new AbortController();
    const write = async (sku: string) => {
      const foreign = await foreignConnection(service.database);
      for (let quantity = 2; quantity <= 12; quantity++) {
        await foreign.run(BEGIN);
        await foreign.run('UPDATE stock SET AvailableQTY = ? WHERE SKU = ?', [String(quantity), sku]);
        await sleep(random.next() * 30);
        await foreign.run('COMMIT');
        committed[sku] = quantity;
        const seen = await client.read(random.of([service, other]));
        expect([sku, seen[sku]! >= quantity]).toEqual([sku, true]);
        await sleep(random.next() * 100);
      }
      await foreign.close();
    };
    const importing = async () => {
      for (let price = 1; !writing.signal.aborted; price++) {
        await service.database.load(file('products.csv', 'P', `name ${price}`));
        await service.database.load(file('stock.csv', 'W', 'N', String(price)));
        expect((await client.read(service)).N).toBe(price);
      }
    };
    const polling = async () => {
      while (!writing.signal.aborted) {
        const known = { ...committed };
        const seen = await client.read(random.of([service, other]));
        for (const sku of WRITERS) expect([sku, seen[sku]! >= known[sku]!]).toEqual([sku, true]);
      }
    };
    await service.database.load(
      importFiles({
        'products.csv': [['N']],
        'prices.csv': [['L', 'N', '1', '', '', 'true']],
        'stock.csv': [['W', 'N', '0']],
      }),
    );
    const background = Promise.all([importing(), polling(), polling()]);
    await Promise.race([background, Promise.all(WRITERS.map(write))]);
    writing.abort();
    await background;
    // The test is worth nothing unless there was something to hide.
    expect(client.hits).toBeGreaterThan(0);
  });

  if (engine === 'mysql')
    test('transactions that began earlier and end later, in either order', async () => {
      const client = new PollingClient();
      const [first, second, third] = await Promise.all([1, 2, 3].map(() => foreignConnection(service.database)));
      const all = [first!, second!, third!];
      for (const connection of all) {
        await connection.run('START TRANSACTION WITH CONSISTENT SNAPSHOT');
        await connection.run('SELECT * FROM stock');
      }
      await client.read(service);
      await first!.run(`UPDATE stock SET AvailableQTY = 11 WHERE WarehouseCode = 'W' AND SKU = 'P'`);
      await second!.run(`UPDATE products SET Name = 'two' WHERE SKU = 'Q'`);
      expect(await client.read(service)).toMatchObject({ P: 1, Q: 1, R: 1 });
      await second!.run('COMMIT');
      expect(await client.read(other)).toMatchObject({ P: 1, Q: 1, R: 1 });
      const change = `UPDATE stock SET AvailableQTY = 13 WHERE WarehouseCode = 'W' AND SKU = 'R'`;
      const waiting = third!.run(change).then(
        () => undefined,
        ({ errno }: { errno?: number }) => errno,
      );
      await sleep(200);
      await first!.run('COMMIT');
      expect(await client.read(service)).toMatchObject({ P: 11, R: 1 });
      // With snapshot isolation MariaDB refuses what the snapshot of the transaction does not show (decision 156).
      const refused = await waiting;
      expect(refused).toBe((await hasSnapshotIsolation()) ? RECORD_HAS_CHANGED : undefined);
      if (refused) for (const statement of ['ROLLBACK', 'START TRANSACTION', change]) await third!.run(statement);
      expect(await client.read(service)).toMatchObject({ P: 11, R: 1 });
      await third!.run('COMMIT');
      expect(await client.read(other)).toMatchObject({ P: 11, R: 13 });
      for (const connection of all) await connection.close();
    });
});
