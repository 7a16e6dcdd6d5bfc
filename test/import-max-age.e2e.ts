import { utimesSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { importFiles } from './support/import-files.js';
import { latestRuns } from './support/import-runs.js';
import { TestDatabase } from './support/test-service.js';

const HOUR_MS = 3_600_000;
const OLD = /: the file was last modified 7\.1 h ago, at \S+Z, and --max-age allows 6 h; deliver a new file\n/;

let database: TestDatabase;
beforeEach(async () => void (database = await TestDatabase.create()));
afterEach(() => database.drop());

/** Writes files and sets their ages in hours. @returns their folder */
async function aged(ages: Record<string, number>, files: Record<string, string | Buffer>): Promise<string> {
  const folder = await database.files(files);
  for (const [name, hours] of Object.entries(ages)) {
    const time = new Date(Date.now() - hours * HOUR_MS);
    utimesSync(join(folder, name), time, time);
  }
  return folder;
}

const WAREHOUSES = importFiles({ 'warehouses.csv': [['W']] });
const LISTS = importFiles({ 'price_lists.csv': [['L', '', 'EUR']] });
const warehouses = () => database.sql('SELECT WarehouseCode FROM warehouses');

test('--max-age refuses an old file, writes nothing and records the refusal (decision 103)', async () => {
  const folder = await aged({ 'warehouses.csv': 7 }, WAREHOUSES);
  const { code, stderr } = await database.cli('import', '--max-age', '6h', folder);
  expect([code, stderr]).toEqual([1, expect.stringMatching(OLD)]);
  expect(stderr).toMatch(/^warehouses\.csv: /);
  expect(await warehouses()).toEqual([]);
  const [run] = await latestRuns(database, 1);
  expect(run).toMatchObject({ Outcome: 'refused', Message: expect.stringMatching(OLD) });
  // The file has no other fault.
  for (const options of [['--max-age', '8h'], ['--max-age', '1d'], []])
    expect(await database.cli('import', ...options, folder)).toMatchObject({ code: 0 });
  expect(await warehouses()).toHaveLength(1);
});

test('--max-age names each old file of a folder and refuses the whole folder (decision 103)', async () => {
  const old = { 'price_lists.csv': 7, 'stock.csv.gz': 7 };
  const stock = gzipSync(importFiles({ 'stock.csv': [] })['stock.csv']!);
  const folder = await aged(old, { ...WAREHOUSES, ...LISTS, 'stock.csv.gz': stock });
  const { code, stderr } = await database.cli('import', '--max-age', '6h', folder);
  const named = stderr.split('\n').flatMap((line) => /^(\S+): the file was last modified/.exec(line)?.[1] ?? []);
  expect([code, named]).toEqual([1, ['price_lists.csv', 'stock.csv.gz']]);
  expect(await warehouses()).toEqual([]);
});

test('--max-age refuses an old file in a dry run as well (decision 103)', async () => {
  const folder = await aged({ 'warehouses.csv': 7 }, WAREHOUSES);
  const { code, stderr } = await database.cli('import', '--dry-run', '--max-age', '6h', folder);
  expect([code, stderr]).toEqual([1, expect.stringMatching(OLD)]);
  expect(await latestRuns(database, 1)).toEqual([]);
});

test('--max-age refuses standard input, which has no modification time (decision 103)', async () => {
  const args = ['import', '--as', 'warehouses', '--max-age', '6h', '-'];
  const { code, stderr } = await database.cliReading(WAREHOUSES['warehouses.csv']!, ...args);
  expect([code, stderr]).toEqual([1, expect.stringMatching(/^standard input: it has no modification time/)]);
  expect(await warehouses()).toEqual([]);
});

test.each(['6', 'h', '0h', '-1h', '1.5h', '6 h', '6w', '6h30m', ''])('--max-age rejects %j', async (text) => {
  const { code, stderr } = await database.cli('import', `--max-age=${text}`, await database.files(WAREHOUSES));
  expect([code, stderr]).toEqual([1, expect.stringContaining('Write a duration such as 90m, 6h or 2d.')]);
});
