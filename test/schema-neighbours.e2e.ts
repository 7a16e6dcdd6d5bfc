import { DataSource } from 'typeorm';
import { engineOf } from '../src/database/engine-factory.js';
import { migrations } from '../src/database/migrations/migrations.js';
import { IMPORT_TABLES } from '../src/import/import-tables.js';
import { call, tokenCall, tokenIn } from './support/http-call.js';
import { forge, SECRET } from './support/quota-bench.js';
import { type Column, tableColumns, tableRules, tablesOf } from './support/schema.js';
import { ServiceProcess } from './support/service-process.js';
import { A, smallCatalogue } from './support/small-catalogue.js';
import { engine, TestDatabase } from './support/test-service.js';

// What meets during a rollout: this release with the schema of the one before, or with that of the next one.

const NAMES = migrations.map((Migration) => new Migration().name);
const DATA = ['/products', '/stock', '/prices'];

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

/** Each data endpoint's answer to A. */
async function responsesOf(url: string): Promise<string[]> {
  const token = forge(A);
  const responses: string[] = [];
  for (const path of DATA) {
    const { status, body } = await call(url, { path, token });
    responses.push(`${path} ${status} ${body}`);
  }
  return responses;
}

const isError = (response: string) => / 500 \{"error":"[^"]*"\}$/.test(response);

describe('the schema of an earlier release', () => {
  test('is not served from by one that starts on it, which says why, and serves once it is migrated', async () => {
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
    expect((await responsesOf(url)).filter(isError)).toHaveLength(DATA.length);
    expect((await call(url, tokenCall(A, 'any'))).status).toBe(500);
    await database.cliOk('migrate');
    await service.ready();
    expect(await responsesOf(url)).toEqual(right);
  });

  test('that comes back under a service, as by a restore, makes it not ready, and no answer wrong', async () => {
    database = await TestDatabase.create();
    await database.load(smallCatalogue);
    const { url, managementUrl } = await start().ready();
    const right = await responsesOf(url);
    // The first one has the data itself.
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

/** All that a migration may do while this release runs. */
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

describe('the schema of the next release', () => {
  test('is served from by this one, whether it runs already or starts on it, and written to by its commands', async () => {
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

/** A schema, as far as another release may depend on it. */
type Schema = Map<string, { columns: Column[]; rules: string[] }>;

async function schema(): Promise<Schema> {
  const found: Schema = new Map();
  for (const table of await tablesOf(database))
    found.set(table, { columns: await tableColumns(database, table), rules: await tableRules(database, table) });
  return found;
}

/** What code that knows one schema would miss in another, or be refused there. */
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
 * What migrations may take away, by their names: a column or table that no release since the last migration before has
 * used. Whoever adds one here says in docs/operations.md from which release on it may be run.
 */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {};

describe('migrations', () => {
  test('expand: code of the release before finds all that it knows, and may write as it did', async () => {
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
  ])('and a contraction is found: %s', async (sql, problem) => {
    database = await TestDatabase.create();
    const before = await schema();
    await database.sql(sql);
    expect(contractions(before, await schema())).toContain(problem);
  });
});
