import { mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { IMPORT_TABLES } from '../src/import/import-tables.js';
import { describeMounting, MOUNTING } from './support/describe-with.js';
import { importFiles } from './support/import-files.js';
import { RunningCommand } from './support/running-command.js';
import { smallCatalogue } from './support/small-catalogue.js';
import { type CommandResult, TestDatabase } from './support/test-service.js';

/** The number of products whose files need more than 200 kB. */
const PRODUCTS = 2000;

let database: TestDatabase;
beforeAll(async () => {
  database = await TestDatabase.create();
  await database.load(smallCatalogue);
  const many = Array.from({ length: PRODUCTS }, (_, index) => [`SKU-${index}`, 'x'.repeat(200)]);
  await database.load(importFiles({ 'products.csv': many }));
});
afterAll(() => database.drop());

/** The text of each file in a folder, by name. */
const contents = (folder: string) =>
  Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]));

/** Folders to export to: one with files, and an empty one. */
async function folders(): Promise<{ old: string; empty: string }> {
  const old = await database.files({ 'products.csv': 'SKU\nOLD\n', 'notes.txt': 'mine' });
  return { old, empty: await database.files({}) };
}

test('an export replaces the files of its tables and changes no other file', async () => {
  const { old } = await folders();
  await database.cliOk('export', old);
  const after = contents(old);
  expect(Object.keys(after)).toHaveLength(IMPORT_TABLES.length + 1);
  expect(after['notes.txt']).toBe('mine');
  expect(after['products.csv']!.split('\n')).toHaveLength(PRODUCTS + 7);
});

test('a killed export leaves the old files unchanged', async () => {
  const { old } = await folders();
  const before = contents(old);
  const limited = ['sh', '-c', 'ulimit -f 100; exec "$@"', 'sh'];
  const { code } = await RunningCommand.start(database.url, ['export', old], { wrapper: limited }).ended;
  expect(code).not.toBe(0);
  for (const [name, text] of Object.entries(before)) expect(readFileSync(join(old, name), 'utf8')).toBe(text);
  expect(readdirSync(old).filter((name) => name.endsWith('.csv'))).toEqual(['products.csv']);
});

test('an export changes no file if a folder has the name of one of them', async () => {
  const { old } = await folders();
  const before = contents(old);
  mkdirSync(join(old, 'stock.csv'));
  const { code, stderr } = await database.cli('export', old);
  const reason = `nothing was exported, and the files in ${old} are unchanged: stock.csv is a folder; rename it`;
  expect([code, stderr]).toEqual([1, `Failed: ${reason}\n`]);
  rmdirSync(join(old, 'stock.csv'));
  expect(contents(old)).toEqual(before);
});

test('an export reports that it exported nothing if it cannot create its folder', async () => {
  const { old } = await folders();
  const { code, stderr } = await database.cli('export', join(old, 'notes.txt'));
  expect([code, stderr]).toEqual([1, expect.stringMatching(/^Failed: nothing was exported, .* unchanged: EEXIST/)]);
});

test('an export removes files that killed exports left more than a day ago, but no files of a running export', async () => {
  const { empty } = await folders();
  for (const name of ['.incomplete-export-killed', '.incomplete-export-running']) mkdirSync(join(empty, name));
  const dayAgo = new Date(Date.now() - 86_400_000 - 1000);
  utimesSync(join(empty, '.incomplete-export-killed'), dayAgo, dayAgo);
  await database.cliOk('export', empty);
  expect(readdirSync(empty).filter((name) => !name.endsWith('.csv'))).toEqual(['.incomplete-export-running']);
});

/**
 * Removes one of the new files while the others are being written.
 * @returns the result of the export
 */
async function exportLosingAFile(folder: string): Promise<CommandResult> {
  const exporting = RunningCommand.start(database.url, ['export', folder]);
  const state = { running: true };
  void exporting.ended.then(() => (state.running = false));
  const written = () =>
    readdirSync(folder, { recursive: true }).find((name) => /^\.incomplete.*\/price_lists\.csv$/.test(String(name)));
  while (state.running && !written()) await sleep(1);
  rmSync(join(folder, String(written())), { force: true });
  return exporting.ended;
}

test('an export fails with a message if its new files vanish before it can move them', async () => {
  const { empty } = await folders();
  let result: CommandResult;
  // On a busy machine the file may be removed too late.
  do result = await exportLosingAFile(empty);
  while (result.code === 0);
  expect(result.stderr).toContain(`the files in ${empty} are not all from the same export`);
});

describeMounting('an export to a file system of 200 kB', () => {
  /** Runs a command with the folder on a separate file system, and copies the files back afterwards. */
  const SCRIPT = `mount -t tmpfs -o size=200k none "$1"; cp -a "$0"/. "$1"; disk=$1; shift
    code=0; "$@" || code=$?; rm -rf "$0"/* "$0"/.[!.]*; cp -a "$disk"/. "$0"; exit $code`;

  test.each(['old', 'empty'] as const)('leaves the %s folder unchanged', async (kind) => {
    const folder = (await folders())[kind];
    const disk = join(database.folder, `disk-${kind}`);
    mkdirSync(disk);
    const before = contents(folder);
    const wrapper = [...MOUNTING, 'sh', '-ec', SCRIPT, folder, disk];
    const { code, stdout, stderr } = await RunningCommand.start(database.url, ['export', disk], { wrapper }).ended;
    expect([code, stdout, contents(folder)]).toEqual([1, '', before]);
    expect(stderr).toMatch(
      `Failed: nothing was exported, and the files in ${disk} are unchanged: ENOSPC: no space left`,
    );
  });
});
