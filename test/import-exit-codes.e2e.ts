import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { cliProcess } from './support/commands.js';
import { importFiles } from './support/import-files.js';
import { latestRuns } from './support/import-runs.js';
import { stateOf } from './support/large-catalogue.js';
import { RunningCommand } from './support/running-command.js';
import { TestDatabase } from './support/test-service.js';

let database: TestDatabase;
let before: string;
beforeAll(async () => {
  database = await TestDatabase.create();
  const warehouses = ['W', 'X', 'Y', 'Z'].map((code) => [code, 'Warehouse']);
  await database.load(importFiles({ 'warehouses.csv': warehouses, 'products.csv': [['A']] }));
  before = await stateOf(database);
});
afterAll(() => database.drop());

const WRONG = importFiles({ 'warehouses.csv': [['N', 'New']], 'stock.csv': [['N', 'NOPE', '1']] });
const FEW = importFiles({ 'warehouses.csv': [['W', 'New name']] });
const GOOD = importFiles({ 'warehouses.csv': [['N', 'New']] });

/** Writes files into a new folder. @returns the path of the folder, or of the file `name` in it */
const path = async (files: Record<string, string>, name = '') => join(await database.files(files), name);

test.each<[string, () => Promise<string[]>, RegExp]>([
  ['one fault in one of several files', async () => [await path(WRONG)], /^stock.csv:2: SKU: .*NOPE/],
  ['one fault in a dry run', async () => ['--dry-run', await path(WRONG)], /^stock.csv:2: SKU: .*NOPE/],
  ['too many removals', async () => ['--replace', await path(FEW)], /^warehouses.csv: .*--allow-removals/],
  ['a missing path', async () => [await path({}, 'nowhere')], /nowhere/],
  ['one valid path and one missing path', async () => [await path(GOOD), await path({}, 'nowhere')], /nowhere/],
  ['a folder without a file', async () => [await path({})], /contains no import file/],
  ['a file of an unknown name', async () => [await path({ 'stocks.csv': '' }, 'stocks.csv')], /^stocks.csv: /],
  ['an unknown table', async () => ['--as', 'stocks', await path(GOOD, 'warehouses.csv')], /stocks/],
  ['an unknown option', async () => ['--replase', await path(GOOD)], /--replase/],
  ['no path', async () => [], /path/],
  ['--allow-removals alone', async () => ['--allow-removals', await path(GOOD)], /--replace/],
  ['an unknown encoding', async () => ['--encoding', 'utf-9', await path(GOOD)], /utf-9/],
])('exits with 1 and writes nothing: %s', async (_, args, message) => {
  const { code, stdout, stderr } = await database.cli('import', ...(await args()));
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(new RegExp(message, 'm'));
  expect(stderr).not.toMatch(/^ +at /m);
  expect(await stateOf(database)).toBe(before);
});

test('exits with 1 and writes nothing: a truncated gzip file', async () => {
  const folder = await database.files(GOOD);
  writeFileSync(
    join(folder, 'stock.csv.gz'),
    gzipSync('WarehouseCode,SKU,AvailableQTY,NextAvailableETA\n').subarray(0, 30),
  );
  const { code, stderr } = await database.cli('import', folder);
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(/^stock.csv.gz:.*gzip/m) });
  expect(await stateOf(database)).toBe(before);
});

test('exits with 1: a database without tables', async () => {
  const empty = await TestDatabase.create({ migrated: false });
  const { code, stdout, stderr } = await empty.cli('import', await path(GOOD));
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toContain('node dist/cli.js migrate');
  await empty.drop();
});

test('the process exits with 1 if the import is refused, and with 0 after it is committed', async () => {
  const refused = await cliProcess(database, 'import', '--json', await path(WRONG));
  expect(refused.code).toBe(1);
  expect(JSON.parse(refused.stdout)).toMatchObject({ outcome: 'refused', problemCount: 1 });
  expect(await stateOf(database)).toBe(before);
  const done = await cliProcess(database, 'import', await path(GOOD));
  expect(done.code).toBe(0);
  expect(await database.sql(`SELECT WarehouseName FROM warehouses WHERE WarehouseCode = 'N'`)).toEqual([
    { WarehouseName: 'New' },
  ]);
  expect((await latestRuns(database, 2)).map(({ Outcome }) => Outcome)).toEqual(['imported', 'refused']);
});

/** Runs a command in a shell that redirects its output. @returns standard error, including the exit code */
async function inShell(script: string, ...args: string[]): Promise<string> {
  const wrapper = ['sh', '-c', script, 'sh'];
  return (await RunningCommand.start(database.url, args, { wrapper }).ended).stderr;
}

describe('lost output', () => {
  test.each([
    ['the reader of a pipe ends', '{ "$@" 2>&3; echo "code $?" >&2; } 3>&2 | true'],
    ['the disk is full for standard output', '"$@" > /dev/full; echo "code $?" >&2'],
    ['the disk is full for standard error', '"$@" 2> /dev/full > /dev/null; echo "code $?" >&2'],
    ['the disk is full for both', '"$@" > /dev/full 2>&1; echo "code $?" >&2'],
  ])('does not affect an import: %s', async (_, script) => {
    await database.sql(`UPDATE warehouses SET WarehouseName = 'Old' WHERE WarehouseCode = 'W'`);
    const stderr = await inShell(script, 'import', await path(importFiles({ 'warehouses.csv': [['W', 'In']] })));
    expect(stderr).toMatch(/^(warehouses\.csv: 1 rows .*\n)?code 0\n$/);
    const stored = await database.sql(`SELECT WarehouseName FROM warehouses WHERE WarehouseCode = 'W'`);
    expect(stored).toEqual([{ WarehouseName: 'In' }]);
    expect(await inShell(script, 'import', await path(WRONG))).toMatch(/code 1\n$/);
  });

  test('fails a command whose purpose is its output, without a stack trace', async () => {
    expect(await inShell('"$@" > /dev/full; echo "code $?" >&2', 'customer', 'list')).toBe('code 1\n');
  });
});
