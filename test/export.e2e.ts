import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { importFiles } from './support/import-files.js';
import { RunningCommand } from './support/running-command.js';
import { smallCatalogue } from './support/small-catalogue.js';
import { TestDatabase } from './support/test-service.js';

/** Enough text that the files do not fit where the tests leave 200 kB. */
const PRODUCTS = 2000;

let database: TestDatabase;
beforeAll(async () => {
  database = await TestDatabase.create();
  await database.load(smallCatalogue);
  const many = Array.from({ length: PRODUCTS }, (_, index) => [`SKU-${index}`, 'x'.repeat(200)]);
  await database.load(importFiles({ 'products.csv': many }));
});
afterAll(() => database.drop());

/** Every file of a folder, with what it holds. */
const contents = (folder: string) =>
  Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]));

/** Folders that an export meets. */
async function folders(): Promise<{ old: string; empty: string }> {
  const old = await database.files({ 'products.csv': 'SKU\nOLD\n', 'notes.txt': 'mine' });
  return { old, empty: await database.files({}) };
}

test('an export replaces the files of its tables and no others, and leaves nothing else behind', async () => {
  const { old } = await folders();
  await database.cliOk('export', old);
  const after = contents(old);
  expect(Object.keys(after)).toHaveLength(11);
  expect(after['notes.txt']).toBe('mine');
  expect(after['products.csv']!.split('\n')).toHaveLength(PRODUCTS + 7);
});

test('an export that is killed leaves the old files as they were', async () => {
  const { old } = await folders();
  const before = contents(old);
  const limited = ['sh', '-c', 'ulimit -f 100; exec "$@"', 'sh'];
  const { code } = await RunningCommand.start(database.url, ['export', old], { wrapper: limited }).ended;
  expect(code).not.toBe(0);
  for (const [name, text] of Object.entries(before)) expect(readFileSync(join(old, name), 'utf8')).toBe(text);
  expect(readdirSync(old).filter((name) => name.endsWith('.csv'))).toEqual(['products.csv']);
});

const MOUNT = ['unshare', '--map-root-user', '--mount'];
const canMount = spawnSync(MOUNT[0]!, [...MOUNT.slice(1), 'mount', '-t', 'tmpfs', 'none', '/mnt']).status === 0;
const notRun = 'NOT RUN: an export onto a file system that is full, because this account may not mount one';

(canMount ? describe : describe.skip)(canMount ? 'a file system of 200 kB' : notRun, () => {
  /** Runs a command with the folder on a file system of its own, and copies back what it leaves there. */
  const SCRIPT = `mount -t tmpfs -o size=200k none "$1"; cp -a "$0"/. "$1"; disk=$1; shift
    code=0; "$@" || code=$?; rm -rf "$0"/* "$0"/.[!.]*; cp -a "$disk"/. "$0"; exit $code`;

  test.each(['old', 'empty'] as const)('leaves a folder as it was: %s', async (kind) => {
    const folder = (await folders())[kind];
    const disk = join(database.folder, `disk-${kind}`);
    mkdirSync(disk);
    const before = contents(folder);
    const wrapper = [...MOUNT, 'sh', '-ec', SCRIPT, folder, disk];
    const { code, stdout, stderr } = await RunningCommand.start(database.url, ['export', disk], { wrapper }).ended;
    expect([code, stdout, contents(folder)]).toEqual([1, '', before]);
    expect(stderr).toMatch(
      `Failed: nothing was exported, and the files in ${disk} are unchanged: ENOSPC: no space left`,
    );
  });
});
