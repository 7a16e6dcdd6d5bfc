import { ContentChanges } from '../src/import/content-changes.js';
import { ImportLogService } from '../src/import/import-log.service.js';
import { IMPORT_TABLES } from '../src/import/import-tables.js';
import { TableRows } from '../src/import/table-rows.js';
import type { Query } from '../src/database/query.js';
import { changedRanges } from '../src/versions/change-log.js';
import { applied, deltaSince, sorted, wholeState } from './support/change-oracle.js';
import { changeCatalogue, FORCE, price, product, SKUS } from './support/change-catalogue.js';
import { ChangeReader } from './support/change-reader.js';
import { BEGIN, type ForeignConnection, foreignConnection } from './support/foreign-connection.js';
import { call } from './support/http-call.js';
import { importFiles } from './support/import-files.js';
import { RunningCommand } from './support/running-command.js';
import { lockWait } from './support/server-sessions.js';
import { engine, TestService } from './support/test-service.js';

// Tests deltas after other programs, rollbacks and restores have affected the change log.

let service: TestService;
let token: string;
beforeAll(async () => {
  service = await TestService.start({ JWT_SECRET: 's'.repeat(40) });
});
afterAll(() => service.close());
afterEach(() => jest.restoreAllMocks());

const sql = (statements: string | string[], parameters?: unknown[]) => service.database.sql(statements, parameters);
const load = (files: Parameters<typeof importFiles>[0], ...options: string[]) =>
  service.database.load(importFiles(files), ...options);

beforeEach(async () => {
  const prices = SKUS.map((sku) => price(sku, '10'));
  const customers = [
    ['C', 'Customer', 'L', 'W', '10'],
    ['NOTHING', 'Without list and warehouse', '', '', '0'],
    ['NO-STOCK', 'Without warehouse', 'L', '', '0'],
  ];
  await service.database.load(changeCatalogue(prices, customers), ...FORCE);
  token ??= await service.token('C');
});

const stockOf = (skus: readonly string[], quantity: string) => ({
  'stock.csv': skus.map((sku) => ['W', sku, quantity]),
});
const loadStock = (sku: string, quantity: string) => load(stockOf([sku], quantity));

const changes = (tags: string, method = 'GET') =>
  call(service.url, { path: '/stock/changes', token, method, headers: { 'If-None-Match': tags } });

const manySkus = (count: number) => Array.from({ length: count }, (_, index) => `N-${String(index).padStart(5, '0')}`);

const logged = async () => {
  const rows = await sql(`SELECT SKU FROM changed_skus WHERE Part = 'stock' AND Code = 'W' AND SKU > '' ORDER BY SKU`);
  return rows.map(({ SKU }) => SKU);
};

const age = (condition: string) => {
  const past = new Date(Date.now() - 30.01 * 86_400_000).toISOString().slice(0, 19).replace('T', ' ');
  return sql(`UPDATE version_history SET SupersededAt = ? WHERE SupersededAt IS NOT NULL AND ${condition}`, [past]);
};

/** Runs `work` during the next import, just before the import first calls this method. */
const within = <T extends object>(type: T, method: keyof T & string, work: () => Promise<unknown>) => {
  const original = type[method] as (...args: unknown[]) => Promise<unknown>;
  let ran = false;
  jest.spyOn(type as Record<string, () => unknown>, method).mockImplementation(async function (
    this: unknown,
    ...args: unknown[]
  ) {
    if (!ran) await ((ran = true), work());
    return original.apply(this, args);
  } as never);
};

describe('tables of the log that other programs or restores change', () => {
  test('no change is missing after content_versions was restored without the log', async () => {
    await loadStock('A', '4');
    const [row] = await sql(`SELECT * FROM content_versions WHERE Part = 'stock' AND Code = 'W'`);
    const reader = new ChangeReader(service, token);
    await reader.read();
    for (const quantity of ['4', '3', '2']) await loadStock('B', quantity);
    await reader.read();
    await sql([
      `UPDATE stock SET AvailableQTY = 5 WHERE SKU = 'B' AND WarehouseCode = 'W'`,
      `DELETE FROM content_versions WHERE Part = 'stock' AND Code = 'W'`,
    ]);
    const columns = Object.keys(row!);
    const marks = columns.map(() => '?').join();
    await sql(`INSERT INTO content_versions (${columns.join()}) VALUES (${marks})`, Object.values(row!));
    await reader.read('restored');
    for (const sku of ['C', 'D', 'E', 'F']) {
      await loadStock(sku, '1');
      await reader.read(`restored, then imported ${sku}`);
    }
  });

  test('no change is missing after content_versions was emptied', async () => {
    const reader = new ChangeReader(service, token);
    for (const quantity of ['4', '3', '2']) await loadStock('B', quantity);
    await reader.read();
    await sql('DELETE FROM content_versions');
    await reader.read('emptied');
    for (const sku of ['A', 'C', 'D']) {
      await loadStock(sku, '1');
      await load({ 'products.csv': [product(sku, 'New')], 'prices.csv': [price(sku, '10.5')] });
      await reader.read(`emptied, then imported ${sku}`);
    }
  });

  test.each(['changed_skus', 'version_history'])('no change is missing after %s was emptied', async (table) => {
    const reader = new ChangeReader(service, token);
    await reader.read();
    await loadStock('B', '4');
    await load({ 'products.csv': [product('B', 'New', 'OBSOLETE')] });
    await sql(`DELETE FROM ${table}`);
    await reader.read('emptied');
    await loadStock('A', '3');
    await reader.read('emptied, then imported');
    const before = await wholeState(service, '/stock', token);
    await loadStock('C', '2');
    expect((await deltaSince(service, '/stock', token, before.etag))?.complete).toBe(false);
  });

  test('no change is missing after changed_skus was restored from an older backup', async () => {
    const old = await sql('SELECT * FROM changed_skus');
    const reader = new ChangeReader(service, token);
    await reader.read();
    await loadStock('B', '4');
    await sql('DELETE FROM changed_skus');
    for (const row of old)
      await sql(
        'INSERT INTO changed_skus (Part, Code, SKU, Counter, RemovedCounter) VALUES (?, ?, ?, ?, ?)',
        ['Part', 'Code', 'SKU', 'Counter', 'RemovedCounter'].map((column) => row[column]),
      );
    await reader.read('restored');
    await loadStock('A', '3');
    await reader.read('restored, then imported');
  });

  test('no change is missing after migrate --repeat', async () => {
    const reader = new ChangeReader(service, token);
    await reader.read();
    await loadStock('B', '4');
    await service.database.cliOk('migrate', '--repeat');
    await reader.read('repeated');
    await loadStock('A', '3');
    await reader.read('repeated, then imported');
  });

  test('documents build --all starts the log again', async () => {
    const before = await wholeState(service, '/stock', token);
    await service.database.cliOk('documents', 'build', '--all');
    const delta = await deltaSince(service, '/stock', token, before.etag);
    expect([delta?.complete, delta?.changed.size]).toEqual([true, SKUS.length]);
    await loadStock('A', '4');
    const next = await deltaSince(service, '/stock', token, delta!.etag);
    expect([next?.complete, [...next!.changed.keys()]]).toEqual([false, ['A']]);
  });
});

describe('imports that write nothing', () => {
  const files = { 'stock.csv': [['W', 'A', '1']], 'products.csv': [product('B', 'New', 'OBSOLETE')] };
  const tables = ['content_versions', 'version_history', 'changed_skus'];
  const log = async () => Promise.all(tables.map((table) => sql(`SELECT * FROM ${table}`)));

  test('a dry run leaves the log unchanged', async () => {
    const before = await log();
    await load(files, '--dry-run');
    expect(await log()).toEqual(before);
  });

  test('an import that fails after it has written the log leaves the log unchanged', async () => {
    const reader = new ChangeReader(service, token);
    await reader.read();
    const before = await log();
    jest.spyOn(ImportLogService.prototype, 'succeed').mockRejectedValueOnce(new Error('killed'));
    await expect(load(files)).rejects.toThrow('killed');
    expect(await log()).toEqual(before);
    await reader.read('rolled back');
    await load(files);
    await reader.read('imported');
  });
});

test.each([
  ['without a price list gets no SKU in a delta', 'NOTHING', []],
  ['without a warehouse gets only SKUs of its own price list in Gone', 'NO-STOCK', ['B']],
])('a customer %s', async (_name, code, gone) => {
  const own = await service.token(code);
  await load({ 'products.csv': [product('OTHER', 'Of others')], 'prices.csv': [price('OTHER', '1', 'M')] });
  const reader = new ChangeReader(service, own);
  await reader.read();
  const before = await wholeState(service, '/stock', own);
  expect(before.elements.size).toBe(0);
  await load({
    'stock.csv': [['W', 'A', '1']],
    'products.csv': ['B', 'OTHER'].map((sku) => product(sku, 'New', 'OBSOLETE')),
  });
  const delta = await deltaSince(service, '/stock', own, before.etag);
  expect([delta?.complete, delta?.changed.size, delta?.gone]).toEqual([false, 0, gone]);
  await reader.read('imported');
});

describe('If-None-Match', () => {
  test('accepts as many forged tags as fit into a request', async () => {
    const { etag } = await wholeState(service, '/stock', token);
    const terms = etag.split('.')[1];
    const tags = Array.from({ length: 340 }, (_, index) => `"x.${terms}.${index}~b~c"`).join();
    expect(tags.length).toBeGreaterThan(15_000);
    for (const method of ['GET', 'HEAD']) expect((await changes(tags, method)).status).toBe(200);
  });

  test('accepts eighty tags of states that the service knows', async () => {
    const { etag } = await wholeState(service, '/stock', token);
    await load({ 'stock.csv': [['W', 'A', '1']] });
    const { status, body } = await changes(Array(80).fill(etag).join());
    expect([status, JSON.parse(body).Complete]).toEqual([200, false]);
  });

  test.each([
    ['garbage of 15 kB', 'x'.repeat(15_000)],
    ['15,000 commas', ','.repeat(15_000)],
    ['a version of 15 kB', ''],
    ['an empty value', ' '],
    ['tags without versions', '"a.b.", "a.b.~~", W/"a.b.c", "", W/"", *'],
  ])('with %s returns every element', async (_name, text) => {
    const { etag } = await wholeState(service, '/stock', token);
    const tags = text || `"x.${etag.split('.')[1]}.${'%00'.repeat(5_000)}~%F0%9F%8E%83~%25"`;
    const { status, body } = await changes(tags);
    expect([status, JSON.parse(body).Complete, JSON.parse(body).Changed.length]).toEqual([200, true, SKUS.length]);
    expect((await changes(tags, 'HEAD')).status).toBe(200);
  });
});

test('Changed and Gone contain SKUs with any characters, in JSON and in NDJSON', async () => {
  const skus = [`it's "q" \\`, '\u{1F383}'.repeat(64), '<&>\u2028x', 'x'.repeat(64), '~', '%', 'a,b'];
  await load({
    'products.csv': skus.map((sku) => product(sku, sku)),
    'prices.csv': skus.map((sku) => price(sku, '10')),
    'stock.csv': skus.map((sku) => ['W', sku, '5']),
  });
  const reader = new ChangeReader(service, token);
  await reader.read();
  const { etag } = await wholeState(service, '/stock', token);
  await load({ 'stock.csv': skus.map((sku) => ['W', sku, '4']) });
  expect([...(await deltaSince(service, '/stock', token, etag))!.changed.keys()].toSorted()).toEqual(skus.toSorted());
  await reader.read('changed');
  await load({ 'products.csv': skus.map((sku) => product(sku, sku, 'OBSOLETE')) });
  await reader.read('gone');
  const headers = { 'If-None-Match': etag };
  const { body } = await call(service.url, { path: '/stock/changes', token, headers });
  expect(JSON.parse(body).Gone.toSorted()).toEqual(skus.toSorted());
  expect((await deltaSince(service, '/stock', token, etag))!.gone.toSorted()).toEqual(skus.toSorted());
});

test('the log contains changes of JSON imports and of imports with a column map', async () => {
  const reader = new ChangeReader(service, token);
  await reader.read();
  const { etag } = await wholeState(service, '/products', token);
  await service.database.load({ 'products.json': JSON.stringify([{ SKU: 'A', Name: 'JSON' }]) });
  const map = `prices:
  columns:
    PriceListCode: { constant: L }
    SKU: Item
    Price: Amount
    DiscountEligible: { constant: 'true' }
`;
  const folder = await service.database.files({ 'map.yaml': map, 'export.csv': 'Item,Amount\nB,10.5\n' });
  await service.database.cliOk('import', `${folder}/export.csv`, '--map', `${folder}/map.yaml`);
  const delta = await deltaSince(service, '/products', token, etag);
  expect([delta?.complete, [...delta!.changed.keys()]]).toEqual([false, ['A', 'B']]);
  await reader.read('imported');
});

test.each(
  IMPORT_TABLES.filter(({ inTerms }) => inTerms)
    .flatMap(({ name, columns, key }) => columns.map((column) => ({ name, column, key })))
    .filter(({ column, key }) => !key.includes(column.name)),
)(
  'the terms in a tag depend on $name.$column.name, because the log does not contain its changes',
  async ({ name, column }) => {
    const before = await wholeState(service, '/prices', token);
    await sql(`UPDATE ${name} SET ${column.name} = 'USD' WHERE PriceListCode = 'L'`);
    const after = await wholeState(service, '/prices', token);
    expect(after.etag.split('.')[1]).not.toBe(before.etag.split('.')[1]);
  },
);

test('the log starts again if more than 1,000 SKUs and more than a fifth of a part change', async () => {
  const after = async (count: number, quantity: string) => {
    const { etag } = await wholeState(service, '/stock', token);
    await load(stockOf(manySkus(count), quantity));
    const delta = await deltaSince(service, '/stock', token, etag);
    return [delta?.complete, delta?.changed.size];
  };
  await load({
    'products.csv': manySkus(1500).map((sku) => product(sku, sku)),
    'prices.csv': manySkus(1500).map((sku) => price(sku, '1')),
    ...stockOf(manySkus(1500), '1'),
  });
  expect(await after(1000, '2')).toEqual([false, 1000]);
  expect(await after(1001, '3')).toEqual([true, 1506]);
  await load({
    'products.csv': manySkus(5050).map((sku) => product(sku, sku)),
    'prices.csv': manySkus(5050).map((sku) => price(sku, '1')),
    ...stockOf(manySkus(5050), '3'),
  });
  expect(await after(1001, '4')).toEqual([false, 1001]);
});

test('a delta of several ranges of SKUs has every change, whichever part changed', async () => {
  const skus = manySkus(2001);
  await load({
    'products.csv': skus.map((sku) => product(sku, sku)),
    'prices.csv': skus.map((sku) => price(sku, '1')),
    ...stockOf(skus, '1'),
  });
  const reader = new ChangeReader(service, token);
  await reader.read();
  const before = await wholeState(service, '/products', token);
  await load({
    'products.csv': skus.slice(0, 1000).map((sku) => product(sku, 'New')),
    'prices.csv': skus.slice(1001).map((sku) => price(sku, '1.1')),
    ...stockOf(skus.slice(0, 1000), '2'),
  });
  await load({ ...stockOf(skus.slice(1000, 2000), '3'), 'products.csv': [product(skus[1000]!, 'New')] });
  await load(stockOf(skus.slice(2000), '4'));
  await reader.read('2,001 changes');
  const delta = await deltaSince(service, '/products', token, before.etag);
  expect([delta?.complete, delta?.changed.size]).toEqual([false, 2001]);
  const query: Query = (text, parameters = []) => sql(text, [...parameters]);
  const [row] = await sql(`SELECT FirstCounter FROM content_versions WHERE Part = 'stock' AND Code = 'W'`);
  const ranges = await changedRanges(query, [[{ part: 'stock', code: 'W' }, Number(row!.FirstCounter)]], 1000);
  expect(ranges.map(([after, last]) => [after, last])).toEqual([
    ['', skus[999]],
    [skus[999], skus[1999]],
    [skus[1999], undefined],
  ]);
});

test('more than 50,000 changed SKUs make the response complete', async () => {
  const { etag } = await wholeState(service, '/stock', token);
  await load({ 'stock.csv': [['W', 'A', '1']] });
  const [row] = await sql(`SELECT Counter FROM content_versions WHERE Part = 'stock' AND Code = 'W'`);
  const digits =
    '(SELECT 0 AS d UNION SELECT 1 UNION SELECT 2 UNION SELECT 3 UNION SELECT 4 UNION SELECT 5 UNION SELECT 6 UNION SELECT 7 UNION SELECT 8 UNION SELECT 9)';
  const number = '(a.d + 10 * b.d + 100 * c.d + 1000 * e.d + 10000 * f.d)';
  const text = engine === 'sqlite' ? `'none-' || ${number}` : `CONCAT('none-', ${number})`;
  await sql(`INSERT INTO changed_skus (Part, Code, SKU, Counter)
    SELECT 'stock', 'W', ${text}, ${String(row!.Counter)} FROM ${digits} a, ${digits} b, ${digits} c, ${digits} e, ${digits} f
    WHERE ${number} < 49999`);
  expect((await deltaSince(service, '/stock', token, etag))?.complete).toBe(false);
  await sql(
    `INSERT INTO changed_skus (Part, Code, SKU, Counter) VALUES ('stock', 'W', 'none', ${String(row!.Counter)})`,
  );
  expect((await deltaSince(service, '/stock', token, etag))?.complete).toBe(true);
});

test('an import deletes versions that were superseded 30 days ago, and the log entries that only they need', async () => {
  await age('1 = 1');
  await load({ 'stock.csv': [['X', 'A', '7']] });
  const bases = [await wholeState(service, '/stock', token)];
  for (const [sku, quantity] of [
    ['A', '1'],
    ['B', '2'],
    ['C', '3'],
  ] as const) {
    await loadStock(sku, quantity);
    bases.push(await wholeState(service, '/stock', token));
  }
  // Makes the first two versions old. The log then needs only the change from the third version to the fourth.
  const versions = bases
    .slice(0, 2)
    .map(({ etag }) => decodeURIComponent(etag.split('.')[2]!.split('~')[2]!.replace('"', '')));
  await age(`Version IN ('${versions.join("','")}')`);
  await load({ 'stock.csv': [['X', 'A', '8']] });
  expect(await logged()).toEqual(['C']);
  const complete = [];
  for (const base of bases) complete.push((await deltaSince(service, '/stock', token, base.etag))?.complete);
  expect(complete).toEqual([true, true, false, undefined]);
  // If a part no longer changes, only its version remains in the log.
  await age('1 = 1');
  await load({ 'stock.csv': [['X', 'A', '9']] });
  expect(await logged()).toEqual([]);
  const last = bases.at(-1)!;
  expect(await deltaSince(service, '/stock', token, last.etag)).toBeUndefined();
  await loadStock('D', '1');
  const delta = await deltaSince(service, '/stock', token, last.etag);
  expect([delta?.complete, [...delta!.changed.keys()]]).toEqual([false, ['D']]);
  expect(sorted(applied(last, delta))).toEqual(sorted(await wholeState(service, '/stock', token)));
});

test('an import deletes the history of at most 1,000 parts', async () => {
  const rows = Array.from({ length: 1001 }, (_, part) => `('prices', 'old-${part}', 'v', 1, '2020-01-01 00:00:00')`);
  await sql(`INSERT INTO version_history (Part, Code, Version, Counter, SupersededAt) VALUES ${rows.join()}`);
  const left = async () => {
    const [row] = await sql(`SELECT COUNT(*) AS count FROM version_history WHERE SupersededAt < '2020-01-02'`);
    return Number(row!.count);
  };
  await loadStock('A', '6');
  expect(await left()).toBe(1);
  await loadStock('A', '7');
  expect(await left()).toBe(0);
});

if (engine === 'mysql')
  describe('programs that write during an import', () => {
    let foreign: ForeignConnection;
    beforeEach(async () => {
      foreign = await foreignConnection(service.database);
    });

    test('a product is gone if another program shows it while an import hides it', async () => {
      await load({ 'products.csv': [product('B', 'Name of B', 'OBSOLETE')] });
      const reader = new ChangeReader(service, token);
      await reader.read();
      within(TableRows.prototype, 'upsert', async () => {
        await foreign.run(`UPDATE products SET Status = 'ACTIVE' WHERE SKU = 'B'`);
        await reader.read('shown');
      });
      await load({ 'products.csv': [product('B', 'Other name', 'OBSOLETE')] });
      await reader.read('hidden');
    });

    test('a product is gone if another program adds it while an import adds it as OBSOLETE', async () => {
      const reader = new ChangeReader(service, token);
      await reader.read();
      within(TableRows.prototype, 'upsert', async () => {
        await foreign.run(`INSERT INTO products (SKU, Status) VALUES ('NEW', 'ACTIVE')`);
        await foreign.run(`INSERT INTO prices (PriceListCode, SKU, Price, DiscountEligible) VALUES ('L', 'NEW', 1, 1)`);
        await reader.read('added');
      });
      await load({ 'products.csv': [product('NEW', 'Other name', 'OBSOLETE')] });
      await reader.read('hidden');
    });

    test('no change is missing if another program commits after an import wrote rows but before it writes versions', async () => {
      const reader = new ChangeReader(service, token);
      await reader.read();
      within(ContentChanges.prototype, 'finish', async () => {
        await foreign.run(`UPDATE stock SET AvailableQTY = 9 WHERE SKU = 'B' AND WarehouseCode = 'W'`);
        await reader.read('another program committed');
      });
      await load({ 'stock.csv': [['W', 'A', '1']] });
      await reader.read('imported');
    });

    test('no change is missing if another program waits for the import', async () => {
      const reader = new ChangeReader(service, token);
      await reader.read();
      let writing: Promise<void> | undefined;
      within(ImportLogService.prototype, 'succeed', async () => {
        await foreign.run(BEGIN);
        writing = foreign.run(`UPDATE stock SET AvailableQTY = 9 WHERE SKU = 'B' AND WarehouseCode = 'W'`);
        await reader.read('not committed');
      });
      await load({ 'stock.csv': [['W', 'A', '1']] });
      await reader.read('imported');
      await writing;
      await reader.read('written, not committed');
      await foreign.run('COMMIT');
      await reader.read('committed');
    });

    test('no change is missing if an import waits for another program', async () => {
      const reader = new ChangeReader(service, token);
      await reader.read();
      await foreign.run(BEGIN);
      await foreign.run(`DELETE FROM stock WHERE SKU = 'B' AND WarehouseCode = 'W'`);
      await reader.read('written, not committed');
      const importing = load({ 'stock.csv': [['W', 'A', '1']] });
      await reader.read('waiting');
      within(ImportLogService.prototype, 'succeed', () => reader.read('committed, not imported'));
      await foreign.run('COMMIT');
      await importing;
      await reader.read('imported');
    });

    test('an import that is killed while it waits for the version of its part writes nothing', async () => {
      const reader = new ChangeReader(service, token);
      await reader.read();
      await foreign.run(BEGIN);
      await foreign.run(`UPDATE stock SET AvailableQTY = 9 WHERE SKU = 'B' AND WarehouseCode = 'W'`);
      const folder = await service.database.files(importFiles({ 'stock.csv': [['W', 'A', '1']] }));
      const command = RunningCommand.start(service.database.url, ['import', folder]);
      await lockWait(service.database);
      command.signal('SIGKILL');
      await command.ended;
      expect(command.endedBy).toBe('SIGKILL');
      await foreign.run('COMMIT');
      await reader.read('killed');
      await load({ 'stock.csv': [['W', 'C', '1']] });
      await reader.read('imported');
    });

    test('an import does not wait for programs that change other parts', async () => {
      await foreign.run(BEGIN);
      await foreign.run(`UPDATE prices SET Price = 11 WHERE PriceListCode = 'L' AND SKU = 'A'`);
      await sql('SET GLOBAL innodb_lock_wait_timeout = 2');
      try {
        await load({
          'stock.csv': [
            ['W', 'B', '1'],
            ['X', 'B', '1'],
          ],
          'product_images.csv': [['C', '1', 'c.jpg', 'true']],
        });
      } finally {
        await sql('SET GLOBAL innodb_lock_wait_timeout = DEFAULT');
        await foreign.run('ROLLBACK');
      }
    });
  });
