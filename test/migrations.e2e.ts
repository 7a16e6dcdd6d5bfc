import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DataSource, getMetadataArgsStorage } from 'typeorm';
import { ApiKey } from '../src/auth/api-key.entity.js';
import { engineOf } from '../src/database/engine-factory.js';
import { migrations } from '../src/database/migrations/migrations.js';
import { addColumn } from '../src/database/migrations/schema-steps.js';
import { requiredColumns } from '../src/database/required-schema.js';
import { ImportRun } from '../src/import/import-run.entity.js';
import { IMPORT_TABLES } from '../src/import/import-tables.js';
import { tableOf } from '../src/resource/columns.js';
import { columnsOf, type FieldDeclaration } from '../src/resource/field.decorator.js';
import { importFiles } from './support/import-files.js';
import { schemaText, tableColumns, tablesOf } from './support/schema.js';
import { engine, TestDatabase } from './support/test-service.js';

const embedded = engine === 'sqlite';
let database: TestDatabase;
beforeEach(async () => void (database = await TestDatabase.create()));
afterEach(() => database.drop());

test('the migrated schema equals the committed schema, which UPDATE_SCHEMA=1 rewrites', async () => {
  const file = join(__dirname, '../docs/schema', `${await dialect()}.sql`);
  const schema = await schemaText(database);
  if (process.env.UPDATE_SCHEMA === '1') {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, schema);
  }
  expect(existsSync(file)).toBe(true);
  expect(schema).toBe(readFileSync(file, 'utf8'));
});

test('undoing all migrations removes all tables, and migrate creates the same schema again', async () => {
  const before = await schemaText(database);
  const dataSource = await new DataSource(engineOf(database.settings()).options).initialize();
  for (const _ of migrations) await dataSource.undoLastMigration();
  await dataSource.destroy();
  expect(await tablesOf(database)).toEqual([]);
  expect(await database.sql('SELECT * FROM migrations')).toEqual([]);
  await database.cliOk('migrate');
  expect(await schemaText(database)).toBe(before);
});

test('addColumn does nothing if the column exists, so that migrations can repeat it (decision 100)', async () => {
  const dataSource = await new DataSource(engineOf(database.settings()).options).initialize();
  for (const _ of ['first', 'again'])
    await addColumn(dataSource.createQueryRunner(), 'products', 'Season', 'varchar(64)');
  await dataSource.destroy();
  expect((await tableColumns(database, 'products')).map(({ name }) => name)).toContain('Season');
});

test('a migration derives the last import of each table from the import log', async () => {
  const select = 'SELECT TableName, ImportedAt FROM imported_tables ORDER BY TableName';
  await database.load(importFiles({ 'warehouses.csv': [['W']], 'price_lists.csv': [['L', '', 'EUR']] }));
  await database.load(importFiles({ 'warehouses.csv': [['V']] }));
  const before = await database.sql(select);
  expect(before.map(({ TableName }) => TableName)).toEqual(['price_lists', 'warehouses']);
  const dataSource = await new DataSource(engineOf(database.settings()).options).initialize();
  while ((await tablesOf(database)).includes('imported_tables')) await dataSource.undoLastMigration();
  await dataSource.destroy();
  await database.cliOk('migrate');
  expect(await database.sql(select)).toEqual(before);
});

test('readiness requires exactly the tables and columns that the migrations create (decisions 101, 128)', async () => {
  expect([...requiredColumns().keys()]).toEqual(await tablesOf(database));
  for (const [table, columns] of requiredColumns()) {
    const present = await tableColumns(database, table);
    expect([table, columns.toSorted()]).toEqual([table, present.map(({ name }) => name)]);
  }
});

test('existing rows get versions, which differ from those of another database', async () => {
  const rows = importFiles({
    'price_lists.csv': [['L', '', 'EUR']],
    'warehouses.csv': [['W']],
    'products.csv': [['P']],
  });
  await database.load(rows);
  const dataSource = await new DataSource(engineOf(database.settings()).options).initialize();
  const versions = () => dataSource.query('SELECT Part, Code, Version FROM content_versions ORDER BY Part');
  const migrateAgain = async () => {
    do await dataSource.undoLastMigration();
    while ((await tablesOf(database)).includes('content_versions'));
    await dataSource.runMigrations({ transaction: 'none' });
  };
  await migrateAgain();
  const first = await versions();
  await migrateAgain();
  const second = await versions();
  await dataSource.destroy();
  expect(first.map(({ Part, Code }: Record<string, string>) => [Part, Code])).toEqual([
    ['prices', 'L'],
    ['products', ''],
    ['stock', 'W'],
  ]);
  for (const { Version } of first)
    expect(second.map((row: Record<string, string>) => row.Version)).not.toContain(Version);
});

// Columns that import files do not have. They are declared with TypeORM's own decorators.
const FURTHER: Record<string, object[]> = {
  customers: [
    { name: 'Active', type: columnType({ type: 'boolean' }), required: true, optional: true },
    { name: 'DeactivatedAt', type: embedded ? 'text' : 'datetime(3)', required: false, optional: true },
  ],
};

test.each(IMPORT_TABLES.map(({ entity }) => [tableOf(entity), entity] as const))(
  'the columns of %s have the names, types and nullability that the entity declares',
  async (table, entity) => {
    const declared = columnsOf(entity).map((column) => ({
      name: column.name,
      type: columnType(column),
      required: Boolean(column.primary) || column.nullable === false,
      optional: expect.any(Boolean),
    }));
    expect(await tableColumns(database, table)).toEqual([...declared, ...(FURTHER[table] ?? [])].toSorted(byName));
  },
);

test.each([ApiKey, ImportRun, ...IMPORT_TABLES.map(({ entity }) => entity)])(
  'TypeORM knows every column of %p',
  async (entity) => {
    const known = getMetadataArgsStorage().filterColumns(entity);
    const names = known.map(({ propertyName }) => propertyName).toSorted();
    expect((await tableColumns(database, tableOf(entity))).map(({ name }) => name)).toEqual(names);
  },
);

/** Returns the type that the engine reports for a declared column. */
function columnType({ type, length, precision, scale }: Partial<FieldDeclaration>): string {
  if (type === 'varchar') return `varchar(${length})`;
  if (embedded) return { int: 'integer', boolean: 'boolean' }[type as string] ?? 'text';
  if (type === 'decimal') return `decimal(${precision},${scale})`;
  return type === 'boolean' ? 'tinyint(1)' : type!;
}

function byName(one: object, other: object): number {
  return (one as { name: string }).name < (other as { name: string }).name ? -1 : 1;
}

async function dialect(): Promise<string> {
  if (embedded) return 'sqlite';
  const [row] = await database.sql('SELECT VERSION() AS version');
  return /mariadb/i.test(String(row!.version)) ? 'mariadb' : 'mysql';
}
