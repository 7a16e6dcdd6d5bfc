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
import { complaintsIn, signs } from './support/import-outcome.js';
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

/** Writes a file into the folder of this test. @returns its path */
function file(name: string, content: string | Buffer = WAREHOUSES): string {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
}

/** Imports the paths, which is to be refused. @returns the problems */
async function problems(...args: string[]): Promise<string[]> {
  const { code, stdout, stderr } = await database.cli('import', ...args);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(await warehouses()).toEqual([]);
  return complaintsIn(stderr);
}

/** The lines of the summary, each as its first two cells: table and file. */
const tablesIn = (stdout: string) =>
  withoutAbsentColumns(stdout)
    .split('\n')
    .slice(1, -1)
    .map((line) => line.split(/ {2,}/).slice(0, 2).join(' '));

describe('paths', () => {
  test('a single file', async () => {
    expect(tablesIn(await database.cliOk('import', file('warehouses.csv')))).toEqual(['warehouses warehouses.csv']);
    expect(await warehouses()).toEqual(X);
  });

  test('files and folders together, in any order: they are read in that of their tables', async () => {
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

  test('what no import could be about is passed over in a folder', async () => {
    for (const name of ['README.md', 'stock.csv.bak', '.DS_Store', 'warehouses.xlsx']) file(name, 'x');
    mkdirSync(join(folder, 'old'));
    file('warehouses.csv');
    await database.cliOk('import', folder);
    expect(await warehouses()).toEqual(X);
  });

  test.each(['warehouse.csv', 'Warehouses.csv', 'warehouses.CSV', 'product-images.csv', 'stocks.csv.gz', 'x.ndjson'])(
    'a file %s, which no import file is called, is refused in a folder and alone',
    async (name) => {
      const path = file(name);
      const names = `${name}: no import file has this name; the names are price_lists.csv, warehouses.csv, `;
      expect(await problems(folder)).toEqual([expect.stringContaining(names)]);
      const said = await problems(path);
      expect(said).toEqual([expect.stringContaining(names)]);
      expect(said[0]).toContain('say by --as which table it is for');
    },
  );

  test('all wrong names are listed at once', async () => {
    const paths = ['a.csv', 'b.csv'].map((name) => file(name));
    expect(await problems(folder)).toHaveLength(2);
    expect(await problems(...paths, join(folder))).toHaveLength(4);
  });

  test.each([
    ['twice the same file', () => [file('warehouses.csv'), file('warehouses.csv')]],
    ['a file and its folder', () => [folder, file('warehouses.csv')]],
    ['a file, and packed', () => [file('warehouses.csv'), file('warehouses.csv.gz', gzipSync(WAREHOUSES))]],
    ['two files for --as', () => ['--as', 'warehouses', file('a.csv'), file('b.csv')]],
  ])('two files for one table are refused: %s', async (_, args) => {
    expect(await problems(...args())).toEqual([
      expect.stringMatching(/^(warehouses\.csv(\.gz)?|b\.csv): warehouses come from \S+ already; /),
    ]);
  });

  test.each([
    ['--as', ['--as', 'warehouses']],
    ['--map', ['--map', 'map.yaml']],
  ])('a folder is refused with %s', async (_, [option, value]) => {
    file('warehouses.csv');
    const map = 'warehouses:\n  columns:\n    WarehouseCode: Code\n    WarehouseName: Name\n';
    const given = option === '--map' ? join(await database.files({ [value!]: map }), value!) : value!;
    expect(await problems(option!, given, folder)).toEqual([
      `${folder}: this is a folder; name the file that --as or --map is about`,
    ]);
  });

  test('an empty folder is named', async () => {
    expect(await problems(folder)).toEqual([
      expect.stringContaining(`${folder}: the folder holds no import file; the names are price_lists.csv, `),
    ]);
  });
});

function link(name: string): string {
  symlinkSync('nowhere', join(folder, name));
  return join(folder, name);
}

/** A file that nobody may open, not even root. */
async function socket(name: string): Promise<string> {
  const server = createServer().listen(join(folder, name)).unref();
  await once(server, 'listening');
  return join(folder, name);
}

describe('what cannot be read is named', () => {
  test.each<[string, () => string | Promise<string>, RegExp]>([
    ['a missing file', () => join(folder, 'warehouses.csv'), /: there is no such file or folder/],
    ['a missing folder', () => join(folder, 'nowhere'), /: there is no such file or folder/],
    ['a link to nowhere', () => link('warehouses.csv'), /: there is no such file or folder/],
    ['a file that refuses', () => socket('warehouses.csv'), /ENXIO|EOPNOTSUPP|not supported/],
    ['a folder of the name of a file', () => (mkdirSync(join(folder, 'warehouses.csv')), folder), /: this is a folder/],
  ])('%s', async (_, make, reason) => {
    const path = await make();
    const said = await problems(path);
    expect(said).toEqual([expect.stringMatching(reason)]);
    expect(said[0]!.startsWith(`${path === folder ? join(folder, 'warehouses.csv') : path}: `)).toBe(true);
  });

  test('all of it at once', async () => {
    expect(await problems(...['a.csv', 'b.csv'].map((name) => join(folder, name)))).toHaveLength(2);
  });

  test.each([
    ['missing', 'no.yaml', 'there is no such file or folder'],
    ['a folder', '', 'this is a folder, and has to be a file'],
  ])('a map that is %s', async (_, name, message) => {
    const map = join(folder, name);
    expect(await problems('--map', map, file('x.csv'))).toEqual([`${map}: ${message}`]);
  });
});

/** A pipe with a name. */
function namedPipe(name: string): string {
  execFileSync('mkfifo', [join(folder, name)]);
  return join(folder, name);
}

describe('a pipe, which can be read once only', () => {
  test('is read like a file, from a folder and alone, and needs not be plain text', async () => {
    const pipe = namedPipe('warehouses.csv');
    for (const path of [folder, pipe]) {
      const running = database.cliOk('import', path);
      await writeFile(pipe, gzipSync(WAREHOUSES));
      expect(tablesIn(await running)).toEqual(['warehouses warehouses.csv']);
      expect(await warehouses()).toEqual(X);
    }
  });

  test('holds up nobody while nothing comes', async () => {
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
  ])('comes from a shell as %s', async (_, shell) => {
    const wrapper = [...shell, file('lager.txt')];
    const command = RunningCommand.start(database.url, ['import', '--as', 'warehouses'], { wrapper });
    expect(await command.ended).toMatchObject({ code: 0 });
    expect(await warehouses()).toEqual(X);
  });
});

describe('--as', () => {
  test('says what a file of another name holds', async () => {
    const stdout = await database.cliOk('import', '--as', 'warehouses', file('lager 1.txt'));
    expect(tablesIn(stdout)).toEqual(['warehouses lager 1.txt']);
    expect(await warehouses()).toEqual(X);
  });

  test('goes before the name', async () => {
    await database.cliOk('import', '--as', 'warehouses', file('stock.csv'));
    expect(await warehouses()).toEqual(X);
  });

  test('does not make a file of another table fit', async () => {
    expect(await problems('--as', 'customers', file('warehouses.csv'))).not.toEqual([]);
  });

  test('and --map exclude each other', async () => {
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
  ])('%s', async (_, content) => {
    const { code, stdout } = await database.cliReading(content, 'import', '--as', 'warehouses', '-');
    expect(code).toBe(0);
    expect(tablesIn(stdout.trimEnd())).toEqual(['warehouses standard input']);
    expect(await warehouses()).toEqual(X);
  });

  test('what is wrong with it is told as of a file', async () => {
    const text = importFiles({ 'warehouses.csv': [['X'], [''], ['X']] })['warehouses.csv']!;
    const { code, stderr } = await database.cliReading(text, 'import', '--as', 'warehouses', '-');
    expect(code).toBe(1);
    expect(complaintsIn(stderr)).toEqual([
      'standard input:3: WarehouseCode: is empty, and has to hold a value',
      'standard input:4: WarehouseCode: the same key as on line 2',
    ]);
  });

  test('names TMPDIR if no temporary folder is writable (issue 17)', async () => {
    const command = cliProcessReading(
      WAREHOUSES,
      { TMPDIR: '/nowhere' },
      database,
      'import',
      '--as',
      'warehouses',
      '-',
    );
    expect(complaintsIn(await problem(command))).toEqual([
      expect.stringMatching(/^standard input: cannot be kept in a temporary file in \/nowhere \(ENOENT.*set TMPDIR to/),
    ]);
  });

  test('without --as it is asked what it holds', async () => {
    expect(await problems('-')).toEqual([
      'standard input: say by --as which table it is for, or by --map how to read it',
    ]);
  });

  test('named twice it is refused', async () => {
    expect(await problems('--as', 'warehouses', '-', '-')).toEqual([
      'standard input: it can be read once only, and is named twice',
    ]);
  });

  test('nothing at all is an empty file', async () => {
    expect(await problems('--as', 'warehouses', '-')).toEqual([
      expect.stringContaining('standard input:1: the file is empty'),
    ]);
  });

  test.each([
    ['an import', WAREHOUSES, ['-'], 0],
    ['a refusal', 'City\nX\n', ['-'], 1],
    ['an attempt to read it twice', WAREHOUSES, ['-', '-'], 1],
  ])('is put aside while it is read, and nothing of it is left after %s', async (_, text, paths, code) => {
    const TMPDIR = await database.files({});
    const result = await cliProcessReading(text, { TMPDIR }, database, 'import', '--as', 'warehouses', ...paths);
    expect({ code: result.code, left: readdirSync(TMPDIR) }).toEqual({ code, left: [] });
    expect(await warehouses()).toEqual(code ? [] : X);
  });
});

test.each(['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGKILL'] as const)(
  'of standard input nothing is left after %s',
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
  /** More than what is read at a time, packed and unpacked. */
  const MANY = importFiles({
    'warehouses.csv': Array.from({ length: 6000 }, (_, index) => [
      `${index}`,
      createHash('md5').update(`${index}`).digest('hex'),
    ]),
  })['warehouses.csv']!;
  const PACKED = gzipSync(MANY);

  test.each([
    ['by name', 'warehouses.csv.gz', PACKED],
    ['under a plain name', 'warehouses.csv', PACKED],
    [
      'in two members',
      'warehouses.csv.gz',
      Buffer.concat([MANY.slice(0, 9999), MANY.slice(9999)].map((part) => gzipSync(part))),
    ],
    ['that is none, but for its name', 'warehouses.csv.gz', MANY],
  ])('%s is read', async (_, name, content) => {
    file(name, content);
    expect(tablesIn(await database.cliOk('import', folder))).toEqual([`warehouses ${name}`]);
    expect(await database.sql('SELECT COUNT(*) AS n FROM warehouses')).toEqual([{ n: 6000 }]);
  });

  const bent = (at: number) => PACKED.map((byte, index) => (index === at ? byte ^ 0xff : byte));

  test.each([
    ['cut at its end', PACKED.subarray(0, -1)],
    ['cut in the middle', PACKED.subarray(0, PACKED.length / 2)],
    ['cut after a few bytes', PACKED.subarray(0, 15)],
    ['damaged at its end', bent(PACKED.length - 6)],
    ['damaged in the middle', bent(PACKED.length / 2)],
    ['damaged at its beginning', bent(11)],
    ['damaged in its header', bent(2)],
    ['with text behind it', Buffer.concat([PACKED, Buffer.from(MANY)])],
    ['of which hardly anything is there', Buffer.from([0x1f, 0x8b])],
  ])('%s is refused', async (_, content) => {
    const said = await problems(file('warehouses.csv.gz', Buffer.from(content)));
    expect(said.at(0)).toMatch(/^warehouses\.csv\.gz(:\d+)?: /);
    expect(said).toContainEqual(expect.stringContaining('the file is no whole gzip file'));
  });

  test('a small file that is cut or damaged is refused, too', async () => {
    const small = gzipSync(WAREHOUSES);
    for (const content of [
      small.subarray(0, -4),
      small.subarray(0, 12),
      small.map((byte, at) => (at === 20 ? ~byte : byte)),
    ])
      expect(await problems(file('warehouses.csv.gz', Buffer.from(content)))).toEqual([
        expect.stringMatching(/^warehouses\.csv\.gz: the file is no whole gzip file/),
      ]);
  });
});

test('what is printed of files holds nothing that a terminal obeys', async () => {
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
  test('prints what was done', async () => {
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

  test('tells a dry run', async () => {
    const printed = JSON.parse(await database.cliOk('import', '--json', '--dry-run', file('warehouses.csv')));
    expect(printed).toMatchObject({ outcome: 'dry-run', id: null, dryRun: true });
    expect(signs(printed)).toEqual({ warehouses: '+1 ~0 =0 -0' });
  });

  test('lists what is wrong, of the same problem the first three, and all groups, and exits with 1', async () => {
    const rows = Array.from({ length: 102 }, (_, index) => [`W${index}`, 'x'.repeat(256)]);
    const path = file('warehouses.csv', importFiles({ 'warehouses.csv': rows })['warehouses.csv']);
    const { code, stdout, stderr } = await database.cli('import', '--json', path);
    expect(code).toBe(1);
    const message = 'has 256 characters, 255 is the most';
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

  test('lists what is wrong with the paths, too', async () => {
    const { code, stdout } = await database.cli('import', '--json', file('lager.csv'));
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      outcome: 'refused',
      problems: [{ file: 'lager.csv', line: 0, column: '', message: expect.stringContaining('no import file has') }],
    });
  });
});
