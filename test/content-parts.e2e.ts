import { DataSource, type QueryRunner } from 'typeorm';
import { DatabaseService } from '../src/database/database.service.js';
import { createImportTable, triggersOf } from '../src/database/migrations/content-triggers.js';
import { dialectOf } from '../src/database/migrations/dialect.js';
import { IMPORT_TABLES } from '../src/import/import-tables.js';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { CHANGES, DATA } from './support/data-endpoints.js';
import { fillEmptyTables } from './support/filled-tables.js';
import { call } from './support/http-call.js';
import { importFiles } from './support/import-files.js';
import { startWithApp } from './support/running-app.js';
import { A, smallCatalogue } from './support/small-catalogue.js';
import { engine, type TestService } from './support/test-service.js';

const ACCEPTED = ['application/json', 'application/x-ndjson', 'text/csv', 'text/csv;bom=1;decimal=comma'];

/** Tables whose changes need no version, with the reason. */
const WITHOUT_VERSION = new Map([
  ['customers', 'the ETag depends on all terms'],
  ['api_keys', 'they decide whether a token is valid'],
  ['content_versions', 'it stores the versions'],
  ['product_documents', 'they are built from versioned tables, and deleted when these change'],
]);

let service: TestService;
let app: NestExpressApplication;
let token: string;
/** The tables that each endpoint's responses read, by path. */
const read = new Map<string, Set<string>>();

beforeAll(async () => {
  ({ service, app } = await startWithApp({ RESPONSE_CACHE_MEGABYTES: '0' }));
  await service.database.load(smallCatalogue);
  await fillEmptyTables(service.database, { PriceListCode: 'LIST-A', WarehouseCode: 'WH-A' });
  token = await service.token(A);
  for (const path of DATA) read.set(path, await tablesRead(path));
});
afterAll(() => service.close());

const tablesIn = (sql: string) =>
  [...sql.matchAll(/\b(?:FROM|(?:STRAIGHT_)?JOIN)\s+(\w+)/gi)].map(([, table]) => table!);

/** Records the tables in all statements of the responses, in all formats, with stored documents and without. */
async function tablesRead(path: string, formats = ACCEPTED, headers = {}): Promise<Set<string>> {
  const tables = new Set<string>();
  const record = (sql: string) => tablesIn(sql).forEach((table) => tables.add(table));
  const database = app.get(DatabaseService);
  const { query, prepared } = database;
  const snapshot = database.snapshot.bind(database);
  const spies = [
    jest.spyOn(database, 'query').mockImplementation((sql, parameters) => (record(sql), query(sql, parameters))),
    jest.spyOn(database, 'prepared').mockImplementation((sql, parameters) => (record(sql), prepared(sql, parameters))),
    jest.spyOn(database, 'snapshot').mockImplementation(async () => {
      const opened = await snapshot();
      return { ...opened, query: (sql, parameters) => (record(sql), opened.query(sql, parameters)) };
    }),
  ];
  for (const prepare of ['build', 'DELETE FROM product_documents']) {
    if (prepare === 'build') await service.database.cliOk('documents', 'build');
    else await service.database.sql(prepare);
    for (const Accept of formats) {
      const { status } = await call(service.url, { path, token, headers: { ...headers, Accept } });
      expect([Accept, status]).toEqual([Accept, 200]);
    }
  }
  for (const spy of spies) spy.mockRestore();
  return tables;
}

const versioned = (path: string) => [...read.get(path)!].filter((table) => !WITHOUT_VERSION.has(table));
const etagOf = async (path: string) => (await call(service.url, { path, token, method: 'HEAD' })).headers.etag!;

test('the recorded statements name the tables that responses read', () => {
  const assortment = ['api_keys', 'content_versions', 'customers', 'price_lists', 'prices', 'products'];
  expect([...read.get('/prices')!].toSorted()).toEqual(assortment);
  expect([...read.get('/stock')!].toSorted()).toEqual([...assortment, 'stock']);
  expect([...read.get('/products')!]).toEqual(
    expect.arrayContaining([...assortment, 'product_documents', 'product_images', 'product_composition']),
  );
});

test.each(CHANGES)('%s reads the tables of its endpoint, whose versions its ETag names, and the log', async (path) => {
  const base = { 'If-None-Match': await etagOf(path) };
  await service.database.load(importFiles({ 'products.csv': [['SHARED', `changed for ${path}`]] }));
  const log = ['changed_skus', 'version_history'];
  const others = read.get(path.replace('/changes', ''))!;
  const tables = [
    ...(await tablesRead(path, ['application/json'])),
    ...(await tablesRead(path, ['application/json'], base)),
  ];
  expect(tables.filter((table) => !others.has(table) && !log.includes(table))).toEqual([]);
  expect(tables).toEqual(expect.arrayContaining(log));
});

describe.each(DATA)('%s', (path) => {
  test('returns another ETag after another program writes to a table that it reads (decision 150)', async () => {
    for (const table of versioned(path)) {
      const column = IMPORT_TABLES.find(({ name }) => name === table)?.key[0];
      // Only import tables have a version. For any other table, the statement below fails and names the table.
      const before = await etagOf(path);
      await service.database.sql(`UPDATE ${table} SET ${column} = ${column}`);
      expect([table, await etagOf(path)]).not.toEqual([table, before]);
    }
  });

  test('returns another ETag after an import writes to a table that it reads (decision 150)', async () => {
    const files = await service.database.files({});
    await service.database.cliOk('export', files);
    for (const table of versioned(path)) {
      // Customers reference these two tables, so their rows cannot be deleted.
      const named = { price_lists: 'PriceListName', warehouses: 'WarehouseName' }[table];
      const change = named ? `UPDATE ${table} SET ${named} = 'other'` : `DELETE FROM ${table}`;
      await service.database.sql(change);
      const before = await etagOf(path);
      await service.database.cliOk('import', files);
      expect([table, await etagOf(path)]).not.toEqual([table, before]);
    }
  });

  test('returns the same ETag after changes to tables that it does not read', async () => {
    const others = IMPORT_TABLES.filter(({ name, part }) => part && !read.get(path)!.has(name));
    const parts = new Set(versioned(path).map((table) => IMPORT_TABLES.find(({ name }) => name === table)!.part));
    for (const { name, part, key } of others) {
      if (parts.has(part)) continue;
      const before = await etagOf(path);
      await service.database.sql(`UPDATE ${name} SET ${key[0]} = ${key[0]}`);
      expect([name, await etagOf(path)]).toEqual([name, before]);
    }
  });
});

/** Returns the triggers of the database, as `EVENT table: statements`. */
async function triggers(): Promise<string[]> {
  if (engine === 'sqlite') {
    const rows = await service.database.sql(`SELECT sql FROM sqlite_master WHERE type = 'trigger'`);
    return rows.map(({ sql }) => actionOf(String(sql)));
  }
  const rows = await service.database.sql(`SELECT EVENT_MANIPULATION AS event, EVENT_OBJECT_TABLE AS name,
    ACTION_STATEMENT AS action FROM information_schema.TRIGGERS WHERE TRIGGER_SCHEMA = DATABASE()`);
  return rows.map(({ event, name, action }) => `${event} ${name}: ${action}`);
}

const actionOf = (sql: string) => {
  const [, event, table, action] = / (?:AFTER|BEFORE) (\w+).*? ON (\w+) FOR EACH ROW\s([^]*)$/.exec(sql)!;
  return `${event} ${table}: ${action}`;
};

async function withQueryRunner<T>(work: (queryRunner: QueryRunner) => Promise<T>): Promise<T> {
  const queryRunner = app.get(DataSource).createQueryRunner();
  return work(queryRunner).finally(() => queryRunner.release());
}

test.each(IMPORT_TABLES.map((table) => [table.name, table] as const))(
  'the triggers of %s follow from its declaration (decision 150)',
  async (name, table) => {
    const dialect = await withQueryRunner(dialectOf);
    const declared = triggersOf(dialect, table).map(({ sql }) => actionOf(sql));
    const actual = (await triggers()).filter((trigger) => trigger.split(' ')[1] === `${name}:`);
    expect(actual.toSorted()).toEqual(declared.toSorted());
    expect(declared).toHaveLength(table.part ? 3 : 0);
  },
);

// This must be the last test of this file, because it replaces two tables.
test.each([
  [
    'stock',
    ['WarehouseCode varchar(64)', 'SKU varchar(64)', 'AvailableQTY text', 'NextAvailableETA date'],
    ['stock:WH-A', 'stock:WH-B'],
  ],
  ['product_accessories', ['SKU varchar(64)', 'AccessorySKU varchar(64)'], ['products:']],
])(
  'createImportTable creates %s with the triggers of its declaration (decision 150)',
  async (name, columns, renewed) => {
    const before = await triggers();
    const key = IMPORT_TABLES.find((table) => table.name === name)?.key;
    const create = () => withQueryRunner((queryRunner) => createImportTable(queryRunner, name, ...columns));
    await service.database.sql(`DROP TABLE ${name}`);
    expect(await triggers()).toHaveLength(before.length - 3);
    await create();
    // Calls it twice, because a migration that stopped half-way repeats its steps.
    await create();
    expect((await triggers()).toSorted()).toEqual(before.toSorted());
    const versions = async () => {
      const rows = await service.database.sql('SELECT Part, Code, Version FROM content_versions');
      return new Map(rows.map(({ Part, Code, Version }) => [`${Part}:${Code}`, Version]));
    };
    const old = await versions();
    await service.database.cliOk('documents', 'build');
    for (const first of name === 'stock' ? ['WH-A', 'WH-B'] : ['SHARED'])
      await service.database.sql(`INSERT INTO ${name} (${key!.join()}) VALUES ('${first}', 'FIXED')`);
    const changed = [...(await versions())].filter(([part, version]) => old.get(part) !== version);
    expect(changed.map(([part]) => part).toSorted()).toEqual(renewed);
    const documents = await service.database.sql(`SELECT 1 FROM product_documents WHERE SKU = 'SHARED'`);
    expect(documents).toHaveLength(name === 'stock' ? 1 : 0);
  },
);
