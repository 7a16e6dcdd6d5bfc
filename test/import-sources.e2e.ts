import { createHash } from 'node:crypto';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { open, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { cliProcessReading, problem } from './support/commands.js';
import { withoutAbsentColumns } from './support/further-fields.js';
import { BASE, importFile, importFiles } from './support/import-files.js';
import { problemsIn, signs } from './support/import-outcome.js';
import { RunningCommand } from './support/running-command.js';
import { removeAllRows, storedRows } from './support/stored-rows.js';
import { TestDatabase } from './support/test-service.js';

let database: TestDatabase;
let folder: string;
beforeAll(async () => void (database = await TestDatabase.create()));
beforeEach(async () => {
  await removeAllRows(database);
  folder = await database.files({});
});
afterAll(() => database.drop());

const WAREHOUSES = importFile('warehouses.csv', [{ WarehouseCode: 'X', WarehouseName: 'Name' }]);
const X = [{ WarehouseCode: 'X', WarehouseName: 'Name' }];
const warehouses = async () => (await storedRows(database)).warehouses;

/** Writes a file into the folder of the current test. @returns its path */
function file(name: string, content: string | Buffer = WAREHOUSES): string {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
}

/** Runs an import that is refused. @returns its problems */
async function problems(...args: string[]): Promise<string[]> {
  const { code, stdout, stderr } = await database.cli('import', ...args);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(await warehouses()).toEqual([]);
  return problemsIn(stderr);
}

/** The table and file of each line of the summary. */
const tablesIn = (stdout: string) =>
  withoutAbsentColumns(stdout)
    .split('\n')
    .slice(1, -1)
    .map((line) => line.split(/ {2,}/).slice(0, 2).join(' '));

describe('paths', () => {
  test('may name a single file', async () => {
    expect(tablesIn(await database.cliOk('import', file('warehouses.csv')))).toEqual(['warehouses warehouses.csv']);
    expect(await warehouses()).toEqual(X);
  });

  test('may name files and folders in any order, which are read in the order of their tables', async () => {
    const { 'stock.csv': stock, 'price_lists.csv': lists, 'products.csv': products, ...others } = BASE;
    const [some, more] = [await database.files(others), await database.files({ 'price_lists.csv': lists! })];
    const paths = [file('stock.csv', stock), some, file('products.csv', products), more];
    expect(tablesIn(await database.cliOk('import', ...paths))).toEqual(
      ['price_lists', 'warehouses', 'products', 'product_images', 'prices', 'stock', 'customers'].map(
        (table) => `${table} ${table}.csv`,
      ),
    );
    const together = await storedRows(database);
    await removeAllRows(database);
    await database.load(BASE);
    expect(together).toEqual(await storedRows(database));
  });

  test('may name a folder with other files, which are skipped', async () => {
    for (const name of ['README.md', 'stock.csv.bak', '.DS_Store', 'warehouses.xlsx']) file(name, 'x');
    mkdirSync(join(folder, 'old'));
    file('warehouses.csv');
    await database.cliOk('import', folder);
    expect(await warehouses()).toEqual(X);
  });

  test.each(['warehouse.csv', 'Warehouses.csv', 'warehouses.CSV', 'product-images.csv', 'stocks.csv.gz', 'x.ndjson'])(
    'are refused for the unknown file name %s, in a folder and alone',
    async (name) => {
      const path = file(name);
      const names = `${name}: no import file has this name; the names are price_lists.csv, warehouses.csv, `;
      expect(await problems(folder)).toEqual([expect.stringContaining(names)]);
      const reported = await problems(path);
      expect(reported).toEqual([expect.stringContaining(names)]);
      expect(reported[0]).toContain('pass its table with --as');
    },
  );

  test('are refused with a problem for each unknown file name', async () => {
    const paths = ['a.csv', 'b.csv'].map((name) => file(name));
    expect(await problems(folder)).toHaveLength(2);
    expect(await problems(...paths, join(folder))).toHaveLength(4);
  });

  test.each([
    ['the same file twice', () => [file('warehouses.csv'), file('warehouses.csv')]],
    ['a file and its folder', () => [folder, file('warehouses.csv')]],
    ['a file and its compressed form', () => [file('warehouses.csv'), file('warehouses.csv.gz', gzipSync(WAREHOUSES))]],
    ['two files for --as', () => ['--as', 'warehouses', file('a.csv'), file('b.csv')]],
  ])('are refused if two files are for one table: %s', async (_, args) => {
    expect(await problems(...args())).toEqual([
      expect.stringMatching(/^(warehouses\.csv(\.gz)?|b\.csv): the table warehouses is already read from \S+; /),
    ]);
  });

  test.each([
    ['--as', ['--as', 'warehouses']],
    ['--map', ['--map', 'map.yaml']],
  ])('are refused if a folder is combined with %s', async (_, [option, value]) => {
    file('warehouses.csv');
    const map = 'warehouses:\n  columns:\n    WarehouseCode: Code\n    WarehouseName: Name\n';
    const given = option === '--map' ? join(await database.files({ [value!]: map }), value!) : value!;
    expect(await problems(option!, given, folder)).toEqual([`${folder}: this is a folder; --as and --map need a file`]);
  });

  test('are refused if a folder is empty', async () => {
    expect(await problems(folder)).toEqual([
      expect.stringContaining(`${folder}: the folder contains no import file; the names are price_lists.csv, `),
    ]);
  });
});

function link(name: string): string {
  symlinkSync('nowhere', join(folder, name));
  return join(folder, name);
}

/** Creates a file that no account can open, not even root. @returns its path */
async function socket(name: string): Promise<string> {
  const server = createServer().listen(join(folder, name)).unref();
  await once(server, 'listening');
  return join(folder, name);
}

describe('the refusal names the path of', () => {
  test.each<[string, () => string | Promise<string>, RegExp]>([
    ['a missing file', () => join(folder, 'warehouses.csv'), /: there is no such file or folder/],
    ['a missing folder', () => join(folder, 'nowhere'), /: there is no such file or folder/],
    ['a broken link', () => link('warehouses.csv'), /: there is no such file or folder/],
    ['a file that cannot be opened', () => socket('warehouses.csv'), /ENXIO|EOPNOTSUPP|not supported/],
    [
      'a folder with the name of an import file',
      () => (mkdirSync(join(folder, 'warehouses.csv')), folder),
      /: this is a folder/,
    ],
  ])('%s', async (_, make, reason) => {
    const path = await make();
    const reported = await problems(path);
    expect(reported).toEqual([expect.stringMatching(reason)]);
    expect(reported[0]!.startsWith(`${path === folder ? join(folder, 'warehouses.csv') : path}: `)).toBe(true);
  });

  test('each missing file', async () => {
    expect(await problems(...['a.csv', 'b.csv'].map((name) => join(folder, name)))).toHaveLength(2);
  });

  test.each([
    ['missing', 'no.yaml', 'there is no such file or folder'],
    ['a folder', '', 'this is a folder; name a file'],
  ])('a map that is %s', async (_, name, message) => {
    const map = join(folder, name);
    expect(await problems('--map', map, file('x.csv'))).toEqual([`${map}: ${message}`]);
  });
});

/** Creates a named pipe. @returns its path */
function namedPipe(name: string): string {
  execFileSync('mkfifo', [join(folder, name)]);
  return join(folder, name);
}

describe('a pipe, which can be read only once,', () => {
  test('is read like a file, in a folder and alone, even if it is compressed', async () => {
    const pipe = namedPipe('warehouses.csv');
    for (const path of [folder, pipe]) {
      const running = database.cliOk('import', path);
      await writeFile(pipe, gzipSync(WAREHOUSES));
      expect(tablesIn(await running)).toEqual(['warehouses warehouses.csv']);
      expect(await warehouses()).toEqual(X);
    }
  });

  test('does not delay other imports while it has no data', async () => {
    const pipe = namedPipe('warehouses.csv');
    const waiting = RunningCommand.start(database.url, ['import', pipe]);
    const writer = await open(pipe, 'w');
    await database.load(importFiles({ 'price_lists.csv': [['L', '', 'EUR']] }));
    await writer.writeFile(WAREHOUSES);
    await writer.close();
    expect(await waiting.ended).toMatchObject({ code: 0 });
    expect(await warehouses()).toEqual(X);
  });

  test.each([
    ['/dev/fd/3, as <(…) of bash does', ['sh', '-c', 'cat "$0" | { "$@" /dev/fd/3 3<&0 </dev/null; }']],
    ['/dev/stdin', ['sh', '-c', 'cat "$0" | "$@" /dev/stdin']],
  ])('is read from a shell as %s', async (_, shell) => {
    const wrapper = [...shell, file('lager.txt')];
    const command = RunningCommand.start(database.url, ['import', '--as', 'warehouses'], { wrapper });
    expect(await command.ended).toMatchObject({ code: 0 });
    expect(await warehouses()).toEqual(X);
  });
});

describe('--as', () => {
  test('sets the table of a file with any name', async () => {
    const stdout = await database.cliOk('import', '--as', 'warehouses', file('lager 1.txt'));
    expect(tablesIn(stdout)).toEqual(['warehouses lager 1.txt']);
    expect(await warehouses()).toEqual(X);
  });

  test('takes precedence over the file name', async () => {
    await database.cliOk('import', '--as', 'warehouses', file('stock.csv'));
    expect(await warehouses()).toEqual(X);
  });

  test('refuses a file with the columns of another table', async () => {
    expect(await problems('--as', 'customers', file('warehouses.csv'))).not.toEqual([]);
  });

  test('is refused together with --map', async () => {
    expect(await database.cli('import', '--as', 'stock', '--map', 'map.yaml', file('x.csv'))).toEqual({
      code: 1,
      stdout: '',
      stderr: 'Pass either --as or --map: a column map names the tables of the file.\n',
    });
  });
});

describe('standard input', () => {
  test.each([
    ['text', WAREHOUSES],
    ['gzip', gzipSync(WAREHOUSES)],
  ])('is read as %s', async (_, content) => {
    const { code, stdout } = await database.cliReading(content, 'import', '--as', 'warehouses', '-');
    expect(code).toBe(0);
    expect(tablesIn(stdout.trimEnd())).toEqual(['warehouses standard input']);
    expect(await warehouses()).toEqual(X);
  });

  test('has its problems reported like those of a file', async () => {
    const text = importFiles({ 'warehouses.csv': [['X'], [''], ['X']] })['warehouses.csv']!;
    const { code, stderr } = await database.cliReading(text, 'import', '--as', 'warehouses', '-');
    expect(code).toBe(1);
    expect(problemsIn(stderr)).toEqual([
      'standard input:3: WarehouseCode: is empty, but a value is required',
      'standard input:4: WarehouseCode: repeats the key of line 2',
    ]);
  });

  test('is refused with advice on TMPDIR if no temporary folder is writable (issue 17)', async () => {
    const command = cliProcessReading(
      WAREHOUSES,
      { TMPDIR: '/nowhere' },
      database,
      'import',
      '--as',
      'warehouses',
      '-',
    );
    expect(problemsIn(await problem(command))).toEqual([
      expect.stringMatching(
        /^standard input: cannot be copied to a temporary file in \/nowhere \(ENOENT.*set TMPDIR to/,
      ),
    ]);
  });

  test('is refused without --as', async () => {
    expect(await problems('-')).toEqual(['standard input: pass its table with --as or its column map with --map']);
  });

  test('is refused if it is named twice', async () => {
    expect(await problems('--as', 'warehouses', '-', '-')).toEqual([
      'standard input: it is named twice, but can be read only once; name - once',
    ]);
  });

  test('is reported as an empty file if it has no data', async () => {
    expect(await problems('--as', 'warehouses', '-')).toEqual([
      expect.stringContaining('standard input:1: the file is empty'),
    ]);
  });

  test.each([
    ['an import', WAREHOUSES, ['-'], 0],
    ['a refusal', 'City\nX\n', ['-'], 1],
    ['an attempt to read it twice', WAREHOUSES, ['-', '-'], 1],
  ])('leaves no temporary file after %s', async (_, text, paths, code) => {
    const TMPDIR = await database.files({});
    const result = await cliProcessReading(text, { TMPDIR }, database, 'import', '--as', 'warehouses', ...paths);
    expect({ code: result.code, left: readdirSync(TMPDIR) }).toEqual({ code, left: [] });
    expect(await warehouses()).toEqual(code ? [] : X);
  });
});

test.each(['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGKILL'] as const)(
  'standard input leaves no temporary file after %s',
  async (signal) => {
    const TMPDIR = await database.files({});
    const command = RunningCommand.start(database.url, ['import', '--as', 'warehouses', '-'], {
      environment: { TMPDIR },
    });
    await command.feedFirst(WAREHOUSES.repeat(50_000));
    command.signal(signal);
    await command.ended;
    expect({ by: command.endedBy, left: readdirSync(TMPDIR) }).toEqual({ by: signal, left: [] });
  },
);

describe('gzip', () => {
  /** Larger than one read, compressed and uncompressed. */
  const MANY = importFiles({
    'warehouses.csv': Array.from({ length: 6000 }, (_, index) => [
      `${index}`,
      createHash('md5').update(`${index}`).digest('hex'),
    ]),
  })['warehouses.csv']!;
  const PACKED = gzipSync(MANY);

  test.each([
    ['a file with the extension .gz', 'warehouses.csv.gz', PACKED],
    ['a file without the extension .gz', 'warehouses.csv', PACKED],
    [
      'a file with two members',
      'warehouses.csv.gz',
      Buffer.concat([MANY.slice(0, 9999), MANY.slice(9999)].map((part) => gzipSync(part))),
    ],
    ['plain text with the extension .gz', 'warehouses.csv.gz', MANY],
  ])('reads %s', async (_, name, content) => {
    file(name, content);
    expect(tablesIn(await database.cliOk('import', folder))).toEqual([`warehouses ${name}`]);
    expect(await database.sql('SELECT COUNT(*) AS n FROM warehouses')).toEqual([{ n: 6000 }]);
  });

  const damaged = (at: number) => PACKED.map((byte, index) => (index === at ? byte ^ 0xff : byte));

  test.each([
    ['without its last byte', PACKED.subarray(0, -1)],
    ['truncated in the middle', PACKED.subarray(0, PACKED.length / 2)],
    ['truncated after a few bytes', PACKED.subarray(0, 15)],
    ['damaged at its end', damaged(PACKED.length - 6)],
    ['damaged in the middle', damaged(PACKED.length / 2)],
    ['damaged at its beginning', damaged(11)],
    ['damaged in its header', damaged(2)],
    ['followed by text', Buffer.concat([PACKED, Buffer.from(MANY)])],
    ['of two bytes', Buffer.from([0x1f, 0x8b])],
  ])('refuses a file %s', async (_, content) => {
    const reported = await problems(file('warehouses.csv.gz', Buffer.from(content)));
    expect(reported.at(0)).toMatch(/^warehouses\.csv\.gz(:\d+)?: /);
    expect(reported).toContainEqual(expect.stringContaining('the file is not a complete gzip file'));
  });

  test('refuses a small file that is truncated or damaged', async () => {
    const small = gzipSync(WAREHOUSES);
    for (const content of [
      small.subarray(0, -4),
      small.subarray(0, 12),
      small.map((byte, at) => (at === 20 ? ~byte : byte)),
    ])
      expect(await problems(file('warehouses.csv.gz', Buffer.from(content)))).toEqual([
        expect.stringMatching(/^warehouses\.csv\.gz: the file is not a complete gzip file/),
      ]);
  });
});

test('output about files has no control characters', async () => {
  const name = 'a\u001B[2J\u202E.txt';
  const printed = [await database.cli('import', '--as', 'warehouses', file(name))];
  printed.push(await database.cli('import', '--as', 'warehouses', file(name, 'Warehouse\u001BCode,x\u202E\n')));
  printed.push(await database.cli('import', file(name)));
  printed.push(await database.cli('import', join(folder, 'none\u001B')));
  printed.push(await database.cli('import', 'log', '--last', '2'));
  expect(printed.map(({ code }) => code)).toEqual([0, 1, 1, 1, 0]);
  for (const { stdout, stderr } of printed) {
    expect(stdout + stderr).toContain('\\u{1b}');
    for (const character of ['\u001B', '\u202E']) expect(stdout + stderr).not.toContain(character);
  }
});

describe('--json', () => {
  test('prints the summary of an import', async () => {
    const path = file('warehouses.csv.gz', gzipSync(WAREHOUSES));
    const { code, stdout } = await database.cli('import', '--json', path);
    expect(code).toBe(0);
    const [run] = await database.sql(`SELECT ID FROM import_runs WHERE Outcome = 'imported' ORDER BY StartedAt DESC`);
    const content = readFileSync(path);
    expect(JSON.parse(stdout)).toEqual({
      outcome: 'imported',
      id: run!.ID,
      dryRun: false,
      files: [
        {
          name: 'warehouses.csv.gz',
          sha256: createHash('sha256').update(content).digest('hex'),
          bytes: content.length,
        },
      ],
      tables: [
        {
          table: 'warehouses',
          file: 'warehouses.csv.gz',
          rows: 1,
          added: 1,
          changed: 0,
          unchanged: 0,
          removed: 0,
          absentColumns: [],
        },
      ],
      notes: [],
      seconds: expect.any(Number),
    });
  });

  test('marks a dry run', async () => {
    const printed = JSON.parse(await database.cliOk('import', '--json', '--dry-run', file('warehouses.csv')));
    expect(printed).toMatchObject({ outcome: 'dry-run', id: null, dryRun: true });
    expect(signs(printed)).toEqual({ warehouses: '+1 ~0 =0 -0' });
  });

  test('lists three problems of each kind and all groups, and exits with 1', async () => {
    const rows = Array.from({ length: 102 }, (_, index) => [`W${index}`, 'x'.repeat(256)]);
    const path = file('warehouses.csv', importFiles({ 'warehouses.csv': rows })['warehouses.csv']);
    const { code, stdout, stderr } = await database.cli('import', '--json', path);
    expect(code).toBe(1);
    const message = 'has 256 characters, 255 is the maximum';
    const group = { file: 'warehouses.csv', column: 'WarehouseName', message };
    expect(JSON.parse(stdout)).toEqual({
      outcome: 'refused',
      problemCount: 102,
      problems: [2, 3, 4].map((line) => ({ ...group, line })),
      groups: [{ ...group, count: 102, lines: [2, 3, 4] }],
    });
    expect(stderr).toContain('warehouses.csv: WarehouseName: … and 99 more like this, 102 in all\n');
    expect(await warehouses()).toEqual([]);
  });

  test('lists problems with the paths', async () => {
    const { code, stdout } = await database.cli('import', '--json', file('lager.csv'));
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      outcome: 'refused',
      problems: [{ file: 'lager.csv', line: 0, column: '', message: expect.stringContaining('no import file has') }],
    });
  });
});
