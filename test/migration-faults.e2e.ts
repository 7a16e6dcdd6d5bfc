import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { DataSource, type QueryRunner } from 'typeorm';
import { DatabaseService } from '../src/database/database.service.js';
import { engineOf } from '../src/database/engine-factory.js';
import { migrations } from '../src/database/migrations/migrations.js';
import { RunningCommand } from './support/running-command.js';
import { schemaText } from './support/schema.js';
import { engine, TestDatabase } from './support/test-service.js';

const embedded = engine === 'sqlite';
/** Also applies to hooks. Each schema change waits for the disk, and a busy machine takes ten times as long. */
jest.setTimeout(600_000);
const INJECTED = 'injected by the test';
/** The numbers of migrations to run. The rows below are inserted after the first two, for later ones to read. */
const COUNTS = [2, migrations.length];

const ROWS = [
  `INSERT INTO products (SKU) VALUES ('P')`,
  `INSERT INTO price_lists (PriceListCode, CurrencyCode) VALUES ('L', 'EUR')`,
  `INSERT INTO warehouses (WarehouseCode) VALUES ('V'), ('W')`,
  `INSERT INTO import_runs (ID, StartedAt, EndedAt, StartedBy, Mode, Outcome, Tables)
   VALUES ('1', '2026-11-28 01:00:00', '2026-11-28 01:00:01', 'test', 'merge', 'imported',
     '[{"table":"prices","file":"prices.csv"},{"table":"stock","file":"stock.csv"}]')`,
];

const databases: TestDatabase[] = [];
const migrators: Migrator[] = [];
// TypeORM prints each failure.
beforeAll(() => void jest.spyOn(console, 'log').mockImplementation());
afterAll(() => jest.restoreAllMocks());
afterEach(async () => {
  await Promise.all(migrators.splice(0).map((migrator) => migrator.close()));
  await Promise.all(databases.splice(0).map((database) => database.drop()));
});

async function emptyDatabase(): Promise<TestDatabase> {
  const database = await TestDatabase.create({ migrated: false });
  databases.push(database);
  return database;
}

/** Runs the first migrations of this release as `migrate` does, and observes each of their statements. */
class Migrator {
  private constructor(
    private readonly dataSource: DataSource,
    private readonly service: DatabaseService,
    private onStatement: (statement: string) => void,
  ) {}

  static of(database: TestDatabase, count: number): Migrator {
    const settings = database.settings();
    const real = engineOf(settings);
    const dataSource = new DataSource({ ...real.options, migrations: migrations.slice(0, count) });
    const withMigrationLock: typeof real.withMigrationLock = real.withMigrationLock.bind(real);
    real.withMigrationLock = (source, work, report) =>
      withMigrationLock(source, (queryRunner) => work(migrator.observe(queryRunner)), report);
    const migrator = new Migrator(dataSource, new DatabaseService(dataSource, real, settings), () => undefined);
    migrators.push(migrator);
    return migrator;
  }

  /** Calls `onStatement` after each statement that changes something. If it throws, the migration fails there. */
  async migrate(onStatement: (statement: string) => void = () => undefined): Promise<void> {
    this.onStatement = onStatement;
    await this.service.migrate();
  }

  close(): Promise<void> {
    return this.dataSource.destroy();
  }

  private observe(queryRunner: QueryRunner): QueryRunner {
    const query = queryRunner.query.bind(queryRunner);
    // A derived object, because the pooled connection itself must not change for the next migration.
    const observed = Object.create(queryRunner) as QueryRunner;
    observed.query = async (...statement: Parameters<QueryRunner['query']>) => {
      const rows = await query(...statement);
      if (!/^\s*(SELECT|SHOW|PRAGMA)/i.test(statement[0])) this.onStatement(JSON.stringify(statement.slice(0, 2)));
      return rows;
    };
    return observed;
  }
}

/** Runs the first migrations without a failure. @returns their statements that change something */
async function migrateUndisturbed(database: TestDatabase, count: number): Promise<string[]> {
  const statements: string[] = [];
  const migrator = Migrator.of(database, count);
  await migrator.migrate((statement) => statements.push(statement));
  return statements;
}

/**
 * Fails once after each of the statements, then completes. Each attempt starts in the state in which the previous one
 * failed. So `migrate` starts once in every state between two statements, and repeats every statement in later states.
 */
async function migrateFailingAfterEach(database: TestDatabase, count: number, statements: string[]): Promise<void> {
  const migrator = Migrator.of(database, count);
  for (const statement of statements) {
    const attempt = migrator.migrate((executed) => {
      if (executed === statement) throw new Error(INJECTED);
    });
    await expect(attempt).rejects.toThrow(INJECTED);
  }
  await migrator.migrate();
}

/** Returns the schema, and the rows that migrations derive from other rows. */
async function outcome(database: TestDatabase): Promise<unknown[]> {
  return [
    await schemaText(database),
    await database.sql('SELECT Part, Code FROM content_versions ORDER BY Part, Code'),
    await database.sql('SELECT TableName, ImportedAt FROM imported_tables ORDER BY TableName'),
    await database.sql('SELECT name FROM migrations ORDER BY id'),
  ];
}

test('migrate completes after a failure at any statement of any migration (decision 100)', async () => {
  const undisturbed = await emptyDatabase();
  const failing = await emptyDatabase();
  let total = 0;
  for (const count of COUNTS) {
    const statements = await migrateUndisturbed(undisturbed, count);
    await migrateFailingAfterEach(failing, count, statements);
    if (!total) for (const database of [undisturbed, failing]) await database.sql(ROWS);
    total += statements.length;
  }
  // The schema has 15 tables and 27 triggers, which one migration replaces.
  expect(total).toBeGreaterThan(80);
  expect(await outcome(failing)).toEqual(await outcome(undisturbed));
});

/** Sends SIGKILL to a `migrate` process once `due` returns true. @returns whether the process was still running */
async function killMigration(database: TestDatabase, due: () => Promise<boolean>): Promise<boolean> {
  const migration = RunningCommand.start(database.url, ['migrate']);
  const state = { running: true };
  void migration.ended.then(() => (state.running = false));
  while (state.running && !(await due())) await sleep(1);
  migration.signal('SIGKILL');
  await migration.ended;
  return migration.endedBy === 'SIGKILL';
}

/** Returns a check for the moment when another connection sees this table or trigger. */
function isVisible(database: TestDatabase, from: string): () => Promise<boolean> {
  return async () => (await database.sql(`SELECT 1 FROM information_schema.${from}`)).length > 0;
}

/**
 * Returns checks for several moments during a migration. Other connections see no intermediate state of an embedded
 * database, so its moments are delays.
 */
function momentsOf(database: TestDatabase): (() => Promise<boolean>)[] {
  const path = database.url.slice('sqlite:'.length);
  if (embedded) return [0, 5, 10, 20, 40].map((ms) => async () => existsSync(path) && sleep(ms, true));
  return [
    `tables WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = 'migrations'`,
    `tables WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = 'prices'`,
    `tables WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = 'product_documents'`,
    `triggers WHERE TRIGGER_SCHEMA = DATABASE() AND TRIGGER_NAME = 'content_stock_insert'`,
    `triggers WHERE TRIGGER_SCHEMA = DATABASE() AND TRIGGER_NAME = 'renew_products_update'`,
  ].map((from) => isVisible(database, from));
}

test('migrate completes after kill -9 at several moments (decision 100)', async () => {
  const killed = await emptyDatabase();
  let kills = 0;
  for (const due of momentsOf(killed)) if (await killMigration(killed, due)) kills++;
  expect(kills).toBeGreaterThan(2);
  await killed.cliOk('migrate');
  const undisturbed = await emptyDatabase();
  await undisturbed.cliOk('migrate');
  expect(await outcome(killed)).toEqual(await outcome(undisturbed));
});

test('migrate refuses a database with a table of another program (decision 100)', async () => {
  const foreign = await emptyDatabase();
  await foreign.sql('CREATE TABLE products (ID integer PRIMARY KEY, Title text)');
  const { code, stderr } = await foreign.cli('migrate');
  expect([code, stderr]).toEqual([1, expect.stringContaining('The table products belongs to another program')]);
});
