import { schemaText, tablesOf } from './support/schema.js';
import { smallCatalogue } from './support/small-catalogue.js';
import { engine, TestDatabase } from './support/test-service.js';

const embedded = engine === 'sqlite';
let database: TestDatabase;
beforeEach(async () => void (database = await TestDatabase.create()));
afterEach(() => database.drop());

test('migrate --repeat restores the columns, indexes and triggers that a table has lost (decision 128)', async () => {
  // The second import changes nothing, so `imported_tables` and `imported_files` get different times.
  for (const _ of ['first', 'again']) await database.load(smallCatalogue);
  const before = { schema: await sortedSchema(), rows: await storedRows() };
  for (const sql of await losses()) await database.sql(sql);
  const { stderr } = await database.cli('customer', 'list');
  expect(stderr).toMatch(
    /^Failed: The database lacks content_versions\.ChangedAt, customers\.DeactivatedAt; run: .* migrate --repeat$/m,
  );
  expect(await database.cliOk('migrate', '--repeat')).toMatch(/^Ran InitialSchema/);
  expect({ schema: await sortedSchema(), rows: await storedRows() }).toEqual(before);
  expect(await database.cliOk('documents', 'check')).toMatch(/ 0 without a document, 0 with one that differs/);
});

test('migrate --repeat refuses to create a lost table empty (decision 128)', async () => {
  await database.sql('ALTER TABLE prices RENAME TO elsewhere');
  const { code, stderr } = await database.cli('migrate', '--repeat');
  expect([code, stderr]).toEqual([
    1,
    'Failed: The database lacks prices; grant the account its rights, or restore all tables\n',
  ]);
  expect(await tablesOf(database)).not.toContain('prices');
});

test('migrate completes a killed migrate --repeat (decision 128)', async () => {
  const before = await schemaText(database);
  await database.sql('DELETE FROM migrations');
  await database.cliOk('migrate');
  expect(await schemaText(database)).toBe(before);
});

/** Returns the schema with sorted lines, because a column that was added again is the last one of its table. */
async function sortedSchema(): Promise<string[]> {
  return (await schemaText(database))
    .replaceAll(/[(),]/g, '\n')
    .split('\n')
    .map((line) => line.trim())
    .toSorted();
}

/** Returns rows that a repetition must not change: content and the times of imports. */
function storedRows(): Promise<unknown[]> {
  const tables = ['products', 'prices', 'stock', 'customers', 'import_runs', 'imported_files', 'imported_tables'];
  return Promise.all(tables.map((table) => database.sql(`SELECT * FROM ${table} ORDER BY 1, 2`)));
}

/** Returns statements that remove what a restore from a backup of an older release, without triggers, would lack. */
async function losses(): Promise<string[]> {
  const names = await database.sql(
    embedded
      ? `SELECT name FROM sqlite_master WHERE type = 'trigger'`
      : 'SELECT TRIGGER_NAME AS name FROM information_schema.triggers WHERE TRIGGER_SCHEMA = DATABASE()',
  );
  return [
    ...names.map(({ name }) => `DROP TRIGGER ${String(name)}`),
    'ALTER TABLE content_versions DROP COLUMN ChangedAt',
    'ALTER TABLE customers DROP COLUMN DeactivatedAt',
    `DROP INDEX products_eligibility${embedded ? '' : ' ON products'}`,
  ];
}
