import type { ImportSummary } from '../src/import/import-summary.js';
import { BASE, COLUMNS, importFiles } from './support/import-files.js';
import { refused, summary } from './support/import-outcome.js';
import { catalogueOf, randomImports } from './support/random-catalogue.js';
import { removeAllRows, storedRows } from './support/stored-rows.js';
import { TestDatabase } from './support/test-service.js';

let database: TestDatabase;
beforeAll(async () => void (database = await TestDatabase.create()));
beforeEach(() => removeAllRows(database));
afterAll(() => database.drop());

/** Everything that a dry run must not change: the data and the record of imports. */
const everything = async () => ({
  ...(await storedRows(database)),
  runs: await database.sql('SELECT * FROM import_runs ORDER BY ID'),
});

/** The table summaries, without absent columns that were added later and that the fixtures do not know. */
function knownTo({ tables }: ImportSummary): ImportSummary['tables'] {
  const columns = Object.values(COLUMNS).join().split(',');
  return tables.map((table) => ({
    ...table,
    absentColumns: table.absentColumns.filter((name) => columns.includes(name)),
  }));
}

const SEEDS = [1, 2, 3, 4];
const IMPORTS = 6;

test.each(SEEDS)('six random imports in turn match their dry runs (seed %i)', async (seed) => {
  for (const { replace, files, after, counts } of randomImports(seed, IMPORTS)) {
    const options = replace ? ['--replace', '--allow-removals'] : [];
    const before = await everything();
    const dry = await summary(database, files, '--dry-run', ...options);
    expect(dry).toMatchObject({ dryRun: true, id: null });
    expect(knownTo(dry)).toEqual(counts);
    expect(await everything()).toEqual(before);

    const real = await summary(database, files, ...options);
    expect(knownTo(real)).toEqual(counts);
    expect(catalogueOf(await storedRows(database))).toEqual(after);
  }
});

test('the seeds produce imports that cover every kind of change', () => {
  const seen = SEEDS.flatMap((seed) => [...randomImports(seed, IMPORTS)]).flatMap(({ replace, counts }) =>
    counts.flatMap(({ file, ...numbers }) =>
      Object.entries({ ...numbers, 'absent columns': numbers.absentColumns.length })
        .filter(([, number]) => typeof number === 'number' && number > 0)
        .map(([name]) => `${replace ? 'replace' : 'upsert'}, ${file ? 'file' : 'no file'}: ${name}`),
    ),
  );
  const always = ['rows', 'added', 'changed', 'unchanged'];
  expect(new Set(seen)).toEqual(
    new Set([
      ...[...always, 'absent columns'].map((name) => `upsert, file: ${name}`),
      ...[...always, 'absent columns', 'removed'].map((name) => `replace, file: ${name}`),
      'replace, no file: removed',
    ]),
  );
});

test('a dry run prints the same table, a preview for customers, and that nothing was written', async () => {
  const folder = await database.files(BASE);
  const dry = (await database.cliOk('import', '--dry-run', folder)).split('\n');
  const real = (await database.cliOk('import', folder)).split('\n');
  expect(dry.pop()).toBe('Dry run: nothing was written.');
  expect(real.pop()).toMatch(/^Imported 8 rows in /);
  const seen = dry.splice(real.length);
  expect(dry).toEqual(real);
  expect(seen.map((line) => line.split(/  +|:/)[0])).toEqual([
    'Price changes of 0 stored prices',
    'price list',
    'L',
    'GET /products, SKU A, customer C',
    '',
    '',
  ]);
});

test.each([[[]], [['--replace']]])('a dry run of invalid files reports the same problems: %j', async (options) => {
  await database.load(BASE);
  const files = importFiles({
    'products.csv': [['A', 'x'.repeat(256)], ['A'], ['N']],
    'product_images.csv': [
      ['N', '1', '', 'maybe'],
      ['NOPE', '1'],
    ],
    'stock.csv': [
      ['W', 'N', '1'],
      ['W', 'B', '1'],
    ],
  });
  const before = await everything();
  const dry = await refused(database, files, '--dry-run', ...options);
  expect(await everything()).toEqual(before);
  expect(dry.length).toBeGreaterThan(3);
  expect(await refused(database, files, ...options)).toEqual(dry);
});

test('a dry run reports a second primary image and the removal of rows that customers reference', async () => {
  await database.load(BASE);
  const second = importFiles({ 'product_images.csv': [['A', '2', '', 'true']] });
  expect(await refused(database, second, '--dry-run')).toEqual(await refused(database, second));
  const others = importFiles({ 'price_lists.csv': [['M', '', 'EUR']], 'warehouses.csv': [['X']] });
  const options = ['--replace', '--allow-removals'];
  const dry = await refused(database, others, '--dry-run', ...options);
  expect(dry).toHaveLength(2);
  expect(await refused(database, others, ...options)).toEqual(dry);
});
