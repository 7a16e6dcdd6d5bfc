import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { hostname, userInfo } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { cells } from './support/commands.js';
import { importFiles } from './support/import-files.js';
import { latestRuns, type LoggedRun } from './support/import-runs.js';
import { stateOf } from './support/large-catalogue.js';
import { RunningCommand } from './support/running-command.js';
import { TestDatabase } from './support/test-service.js';

const COUNTS = { rows: 0, added: 0, changed: 0, unchanged: 0, removed: 0 };
const BASE = importFiles({
  'price_lists.csv': [['L', 'List', 'EUR']],
  'warehouses.csv': [['W', 'Warehouse']],
  'products.csv': [['A'], ['B']],
  'prices.csv': [['L', 'A', '10.5', '', '', 'yes']],
});
const WHO = `${userInfo().username}@${hostname()}`;

let database: TestDatabase;
beforeEach(async () => void (database = await TestDatabase.create()));
afterEach(() => database.drop());

const sha256 = (content: string | Buffer) => createHash('sha256').update(content).digest('hex');

/** The only recorded import. */
async function onlyRun(): Promise<LoggedRun> {
  const runs = await latestRuns(database, 5);
  expect(runs).toHaveLength(1);
  return runs[0]!;
}

test('an import is recorded with its times, account, files, changes and outcome', async () => {
  const folder = await database.files(BASE);
  const packed = gzipSync(importFiles({ 'stock.csv': [['W', 'A', '5']] })['stock.csv']!);
  writeFileSync(join(folder, 'stock.csv.gz'), packed);
  const before = new Date().toISOString();
  // The record must not depend on the time zone of the process.
  const command = RunningCommand.start(database.url, ['import', '--json', folder], {
    environment: { TZ: 'Asia/Tokyo' },
  });
  const { code, stdout } = await command.ended;
  const run = await onlyRun();
  const times = [before, run.StartedAt, run.EndedAt, new Date().toISOString()];
  expect(times).toEqual(times.toSorted());
  const contents: Record<string, string | Buffer> = { ...BASE, 'stock.csv.gz': packed };
  const files = Object.entries(contents).map(([name, content]) => ({
    name,
    sha256: sha256(content),
    bytes: Buffer.byteLength(content),
  }));
  const tables = [
    { table: 'price_lists', file: 'price_lists.csv', ...COUNTS, rows: 1, added: 1 },
    { table: 'warehouses', file: 'warehouses.csv', ...COUNTS, rows: 1, added: 1 },
    { table: 'products', file: 'products.csv', ...COUNTS, rows: 2, added: 2 },
    { table: 'prices', file: 'prices.csv', ...COUNTS, rows: 1, added: 1 },
    { table: 'stock', file: 'stock.csv.gz', ...COUNTS, rows: 1, added: 1 },
  ];
  expect(run).toMatchObject({ StartedBy: WHO, Mode: 'upsert', Outcome: 'imported', Message: null, Tables: tables });
  expect(run.Files!.toSorted(byName)).toEqual(files.toSorted(byName));
  // The printed summary has the same values.
  expect({ code, ...JSON.parse(stdout) }).toMatchObject({ code: 0, id: run.ID, files: run.Files, tables });
});

const byName = (one: { name: string }, other: { name: string }) => (one.name < other.name ? -1 : 1);

test('an import with --replace is recorded with its mode and its removed rows', async () => {
  await database.load(BASE);
  const folder = await database.files(importFiles({ 'products.csv': [['A']] }));
  await database.cliOk('import', '--replace', '--allow-removals', folder);
  const [run] = await latestRuns(database, 1);
  const products = { table: 'products', file: 'products.csv', ...COUNTS, rows: 1, unchanged: 1, removed: 1 };
  expect(run).toMatchObject({ Mode: 'replace', Outcome: 'imported', Tables: [products] });
});

test('a refused import is recorded with its problems', async () => {
  const files = importFiles({ 'products.csv': [['A'], ['A']], 'stock.csv': [['W', 'A', 'many']] });
  const { code, stderr } = await database.cli('import', await database.files(files));
  const run = await onlyRun();
  expect(code).toBe(1);
  expect(run).toMatchObject({ StartedBy: WHO, Outcome: 'refused', Tables: null });
  expect(stderr).toContain(run.Message);
  expect(run.Message).toContain('products.csv:3: ');
  expect(run.EndedAt! >= run.StartedAt).toBe(true);
  expect(run.Files!.map(({ name, sha256: hash }) => [name, hash]).toSorted()).toEqual(
    Object.entries(files).map(([name, text]) => [name, sha256(text)]),
  );
});

test('the recorded message of a refused import has at most 4,000 characters', async () => {
  const rows = Array.from({ length: 300 }, (_, index) => [`${'€'.repeat(70)}${index}`]);
  await database.cli('import', await database.files(importFiles({ 'products.csv': rows })));
  const { Outcome, Message } = await onlyRun();
  expect([Outcome, Message]).toEqual(['refused', expect.stringMatching(/^products.csv:2: SKU: /)]);
  expect(Message!.length).toBeLessThanOrEqual(4000);
});

test('a dry run leaves neither a record nor changes', async () => {
  const before = await stateOf(database);
  const dry = await database.cli('import', '--dry-run', await database.files(BASE));
  expect(dry).toMatchObject({ code: 0, stdout: expect.stringContaining('nothing was written') });
  const wrong = await database.cli(
    'import',
    '--dry-run',
    await database.files(importFiles({ 'products.csv': [['A'], ['A']] })),
  );
  expect(wrong).toMatchObject({ code: 1, stdout: '' });
  expect([await latestRuns(database, 5), await stateOf(database)]).toEqual([[], before]);
});

test('import log shows the requested number of imports, latest first', async () => {
  await database.load(BASE);
  await database.cli('import', await database.files(importFiles({ 'products.csv': [['A'], ['A']] })));
  await database.load(importFiles({ 'warehouses.csv': [['W', 'Another name'], ['X']] }));
  const [headers, ...rows] = cells(await database.cliOk('import', 'log'));
  expect(headers).toEqual(['started', 'by', 'mode', 'outcome', 'seconds', 'added', 'changed', 'removed', 'files']);
  const seconds = expect.stringMatching(/^\d+\.\d$/);
  const shown = rows.map(([time, by, mode, ...rest]) => [new Date(time!).toISOString() === time, by, mode, ...rest]);
  const hash = sha256(importFiles({ 'warehouses.csv': [['W', 'Another name'], ['X']] })['warehouses.csv']!).slice(
    0,
    12,
  );
  expect(shown).toEqual([
    [true, WHO, 'upsert', 'imported', seconds, '1', '1', '0', `warehouses.csv (${hash})`],
    [true, WHO, 'upsert', 'refused', seconds, '0', '0', '0', expect.stringMatching(/^products.csv/)],
    [true, WHO, 'upsert', 'imported', seconds, '5', '0', '0', expect.stringMatching(/^price_lists.csv.*, warehouses/)],
  ]);
  expect(
    rows
      .map(([time]) => time)
      .toSorted()
      .toReversed(),
  ).toEqual(rows.map(([time]) => time));
  expect(cells(await database.cliOk('import', 'log', '--last', '1'))).toEqual([headers, rows[0]]);
});
