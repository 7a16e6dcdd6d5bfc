import { DataSource } from 'typeorm';
import { engineOf } from '../src/database/engine-factory.js';
import { migrations } from '../src/database/migrations/migrations.js';
import { IMPORT_TABLES } from '../src/import/import-tables.js';
import { ENDPOINTS } from './support/expected-responses.js';
import { call, tokenCall, tokenIn } from './support/http-call.js';
import { forge, SECRET } from './support/quota-bench.js';
import { type Column, tableColumns, tableRules, tablesOf } from './support/schema.js';
import { ServiceProcess } from './support/service-process.js';
import { A, smallCatalogue } from './support/small-catalogue.js';
import { engine, TestDatabase } from './support/test-service.js';

// During a rollout, this release meets the schema of the previous release, or the schema of the next release.

const NAMES = migrations.map((Migration) => new Migration().name);

let database: TestDatabase;
const services: ServiceProcess[] = [];
afterEach(async () => {
  await Promise.all(services.splice(0).map((service) => service.stop('SIGKILL')));
  await database.drop();
});

function start(): ServiceProcess {
  const environment = { DATABASE_URL: database.url, DEMO_DATA: 'false', JWT_SECRET: SECRET, MIGRATE_ON_START: 'false' };
  const service = ServiceProcess.start(environment, database.folder);
  services.push(service);
  return service;
}

async function migrator(count = migrations.length): Promise<DataSource> {
  const options = { ...engineOf(database.settings()).options, migrations: migrations.slice(0, count) };
  return new DataSource(options).initialize();
}

async function undo(count: number): Promise<void> {
  const dataSource = await migrator();
  for (let undone = 0; undone < count; undone++) await dataSource.undoLastMigration({ transaction: 'none' });
  await dataSource.destroy();
}

/** Returns the response of each data endpoint of the contract to customer A. */
async function responsesOf(url: string): Promise<string[]> {
  const token = forge(A);
  const responses: string[] = [];
  for (const path of ENDPOINTS) {
    const { status, body } = await call(url, { path, token });
    responses.push(`${path} ${status} ${body}`);
  }
  return responses;
}

const isError = (response: string) => / 500 \{"error":"[^"]*"\}$/.test(response);

describe('a service of this release on an earlier schema', () => {
  test('is not ready at first, names the remedy, and returns data after migrate', async () => {
    database = await TestDatabase.create();
    await database.load(smallCatalogue);
    const right = await responsesOf((await start().ready()).url);
    await undo(1);
    const service = start();
    const { url, managementUrl } = await service.ports();
    const remedy = 'The database lacks 1 migration(s); run: node dist/cli.js migrate';
    await service.printing(/The database is not ready/);
    expect(service.output).toContain(remedy);
    const readiness = await call(managementUrl, { path: '/readyz' });
    expect([readiness.status, readiness.body]).toEqual([503, expect.stringContaining(remedy)]);
    expect(await call(url, { path: '/health' })).toMatchObject({ status: 503, body: 'Unhealthy' });
    expect((await responsesOf(url)).filter(isError)).toHaveLength(ENDPOINTS.length);
    expect((await call(url, tokenCall(A, 'any'))).status).toBe(500);
    await database.cliOk('migrate');
    await service.ready();
    expect(await responsesOf(url)).toEqual(right);
  });

  test('is no longer ready if a restore brings the earlier schema back, and returns no wrong response', async () => {
    database = await TestDatabase.create();
    await database.load(smallCatalogue);
    const { url, managementUrl } = await start().ready();
    const right = await responsesOf(url);
    // The test does not undo the first migration, because its tables contain the data.
    for (const _ of migrations.slice(1)) {
      await undo(1);
      expect((await call(managementUrl, { path: '/readyz' })).status).toBe(503);
      const now = await responsesOf(url);
      expect(now.filter((response) => !isError(response) && !right.includes(response))).toEqual([]);
    }
    expect((await responsesOf(url)).every(isError)).toBe(true);
    await database.cliOk('migrate');
    expect(await responsesOf(url)).toEqual(right);
  });
});

/** Changes the schema in every way that a migration may while this release runs. */
async function expand(): Promise<void> {
  await database.sql([
    ...IMPORT_TABLES.flatMap(({ name }) => [
      `ALTER TABLE ${name} ADD COLUMN Later varchar(10)`,
      `ALTER TABLE ${name} ADD COLUMN LaterStill integer NOT NULL DEFAULT 7`,
    ]),
    'CREATE TABLE later (ID integer NOT NULL PRIMARY KEY)',
    'CREATE INDEX products_later ON products (Later)',
    `INSERT INTO migrations (timestamp, name) VALUES (9999999999999, 'Later9999999999999')`,
  ]);
}

describe('a service of this release on the schema of the next release', () => {
  test('returns the same data, whether it started before or after the upgrade, and its commands can write', async () => {
    database = await TestDatabase.create();
    await database.load(smallCatalogue);
    const { url: running } = await start().ready();
    const right = await responsesOf(running);
    await expand();
    const { url: started } = await start().ready();
    for (const url of [running, started]) expect(await responsesOf(url)).toEqual(right);

    expect(await database.cliOk('migrate')).toBe('The schema is current.');
    const folder = await database.files({});
    await database.cliOk('export', folder);
    await database.cliOk('import', '--replace', folder);
    const key = await database.cliOk('key', 'issue', A);
    expect(tokenIn(await call(running, tokenCall(A, key)))).toBeTruthy();
    await database.cliOk('customer', 'set', A, '--discount', '50');
    for (const url of [running, started]) {
      const [products, , prices] = await responsesOf(url);
      expect([products, prices]).toEqual([expect.stringMatching(/ 200 \[.*5\.0000/), expect.stringMatching(/5\.0000/)]);
    }
    expect(await database.cliOk('documents', 'check')).toMatch(/0 without a document, 0 with one that differs/);
  });
});

/** The parts of a schema that another release may depend on. */
type Schema = Map<string, { columns: Column[]; rules: string[] }>;

async function schema(): Promise<Schema> {
  const found: Schema = new Map();
  for (const table of await tablesOf(database))
    found.set(table, { columns: await tableColumns(database, table), rules: await tableRules(database, table) });
  return found;
}

/** Returns the differences that break code which knows only the schema `before`. */
function contractions(before: Schema, after: Schema): string[] {
  return [...before].flatMap(([table, { columns, rules }]) => {
    const then = after.get(table);
    if (!then) return [`${table} is gone`];
    const known = new Set(columns.map(({ name }) => name));
    return [
      ...columns
        .filter((column) => !then.columns.some((other) => JSON.stringify(other) === JSON.stringify(column)))
        .map(({ name }) => `${table}.${name} is gone, or another one`),
      ...then.columns
        .filter(({ name, optional }) => !known.has(name) && !optional)
        .map(({ name }) => `${table}.${name} has to be written`),
      ...then.rules.filter((rule) => !rules.includes(rule)).map((rule) => `${table}: ${rule} is new`),
    ];
  });
}

/**
 * Allowed contractions, by the name of the migration: columns or tables that no release since the previous migration has
 * used. If you add one, document in docs/operations.md from which release on operators may run it.
 */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {};

describe('migrations', () => {
  test('only expand the schema, so that the previous release reads and writes as before', async () => {
    database = await TestDatabase.create({ migrated: false });
    let before: Schema = new Map();
    for (const [index, name] of NAMES.entries()) {
      const dataSource = await migrator(index + 1);
      await dataSource.runMigrations({ transaction: 'none' });
      await dataSource.destroy();
      const after = await schema();
      expect([name, contractions(before, after)]).toEqual([name, ALLOWED[name] ?? []]);
      before = after;
    }
    expect(before.size).toBeGreaterThan(IMPORT_TABLES.length);
  });

  test.each([
    ['ALTER TABLE products DROP COLUMN Theme', 'products.Theme is gone, or another one'],
    ['ALTER TABLE stock RENAME COLUMN AvailableQTY TO Quantity', 'stock.AvailableQTY is gone, or another one'],
    ['DROP TABLE import_runs', 'import_runs is gone'],
    ['ALTER TABLE api_keys RENAME TO keys_of_customers', 'api_keys is gone'],
    ['CREATE UNIQUE INDEX one_barcode ON products (Barcode)', 'products: unique (Barcode) is new'],
    ...(engine === 'sqlite'
      ? []
      : [
          ['ALTER TABLE products ADD COLUMN Must int NOT NULL', 'products.Must has to be written'],
          ['ALTER TABLE products MODIFY Name varchar(10)', 'products.Name is gone, or another one'],
          [
            'ALTER TABLE stock ADD FOREIGN KEY (SKU) REFERENCES price_lists (PriceListCode)',
            'stock: reference SKU to price_lists is new',
          ],
        ]),
  ])('fail the check for contractions with %s', async (sql, problem) => {
    database = await TestDatabase.create();
    const before = await schema();
    await database.sql(sql);
    expect(contractions(before, await schema())).toContain(problem);
  });
});
