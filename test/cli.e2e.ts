import { execFile } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { runCli } from '../src/cli/program.js';
import { readSettings } from '../src/config/settings.js';
import { cells, problem } from './support/commands.js';
import { type CommandResult, engine, TestDatabase } from './support/test-service.js';

let database: TestDatabase;
beforeEach(async () => void (database = await TestDatabase.create({ migrated: false })));
afterEach(() => database.drop());

describe('help', () => {
  test.each([
    ['', ['migrate', 'import', 'export', 'customer', 'key']],
    ['migrate', []],
    ['import', ['<path...>', '--as <', '--map <', '--replace', '--allow-removals', '--dry-run', '--json', ' log ']],
    [
      'import',
      ['--delimiter <', '--encoding <', 'windows-1252', '--allow-empty', '--decimal-comma', 'docs/import-format.md'],
    ],
    ['import log', ['--last <', '--json']],
    ['export', ['<dir>']],
    ['customer', ['list', 'show', 'set', 'delete']],
    ['customer list', []],
    ['customer show', ['<code>']],
    [
      'customer set',
      ['<code>', '--name <', '--price-list <', '--warehouse <', '--discount <', '--per-minute <', '--per-hour <'],
    ],
    ['customer set', ['--active', '--inactive', 'Creates a customer, or changes']],
    ['customer delete', ['<code>']],
    ['key', ['issue', 'list', 'rotate', 'revoke']],
    ['key issue', ['<code>', '--label <', '--expires <', 'YYYY-MM-DD']],
    ['key list', ['[code]', '--expiring <']],
    ['key rotate', ['<code>', '--overlap <', '(default: 14d)', '--key <', '--label <', '--expires <']],
    ['key revoke', ['<id>']],
  ])('of "%s" names %j', async (command, names) => {
    const { code, stdout, stderr } = await database.cli(...command.split(' ').filter(Boolean), '--help');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(`Usage: ${['customer-data', command].join(' ').trim()} `);
    for (const name of names) expect(stdout).toContain(name);
  });

  test.each([
    [['custmer'], "unknown command 'custmer'"],
    [['customer', 'sett', 'X'], "unknown command 'sett'"],
    [['customer', 'set', 'X', '--rebate', '5'], "unknown option '--rebate'"],
    [['customer', 'set'], "missing required argument 'code'"],
    [['import'], "missing required argument 'path'"],
    [['import', '--replce', '/tmp'], "unknown option '--replce'"],
    [['import', '--delimiter', '""', '/tmp'], 'It must be one character, such as , ; or |'],
    [['import', '--delimiter', 'constructor', '/tmp'], 'It must be one character, such as , ; or |'],
    [['import', '--encoding', 'utf-9', '/tmp'], 'It must be a known encoding, not "utf-9"; use utf-8, windows-12'],
    [['import', '--as', 'stocks', '/tmp'], 'Allowed choices are price_lists, warehouses, products,'],
    [['migrate', 'now'], 'too many arguments'],
    [[], 'Usage: customer-data'],
    [['key'], 'Usage: customer-data key'],
  ])('is offered after %j', async (args, text) => {
    const message = await problem(database.cli(...args));
    expect(message).toContain(text);
    expect(message).toContain('help');
  });
});

describe('the database', () => {
  test('is current after one migrate, so a second one does nothing', async () => {
    expect(await database.cliOk('migrate')).toMatch(/^Ran InitialSchema1764201600000/);
    expect(await database.cliOk('migrate')).toBe('The schema is current.');
  });

  test('can be created by the command that an error message names', async () => {
    const [, remedy] = /run: (.*)$/m.exec(await problem(database.cli('customer', 'list')))!;
    const env = { PATH: process.env.PATH, DATABASE_URL: database.url };
    await promisify(execFile)('sh', ['-c', remedy!], { cwd: join(__dirname, '..'), env });
    expect(cells(await database.cliOk('customer', 'list'))).toHaveLength(1);
  });

  const commands = [
    ['customer', 'list'],
    ['key', 'list', 'C'],
    ['import', '/tmp'],
    ['export', '/tmp/never'],
  ];

  if (engine === 'mysql') {
    test.each(commands)('is reported as not migrated by %s', async (...args) => {
      expect(await problem(database.cli(...args))).toContain('run: node dist/cli.js migrate');
      expect(await database.sql('SHOW TABLES')).toEqual([]);
    });
  } else {
    test.each(commands)('is reported as missing and not created by %s', async (...args) => {
      expect(await problem(database.cli(...args))).toMatch(/^There is no database at .*: node dist\/cli\.js migrate$/m);
      expect(existsSync(database.url.slice('sqlite:'.length))).toBe(false);
    });

    test('with an older schema is migrated by the first command', async () => {
      writeFileSync(database.url.slice('sqlite:'.length), '');
      expect(cells(await database.cliOk('customer', 'list'))).toHaveLength(1);
      expect(await database.cliOk('migrate')).toBe('The schema is current.');
    });
  }

  test('without price lists leads to a message that suggests an import', async () => {
    await database.cliOk('migrate');
    expect(await problem(database.cli('customer', 'set', 'X', '--price-list', 'L'))).toBe(
      'There is no price list L. Existing codes: none; import some first.\n',
    );
  });

  test.each([
    ['of another kind', 'postgres://root:hunter2@localhost/x'],
    ['without a database', 'mysql://root:hunter2@localhost'],
    ['that nothing listens at', 'mysql://root:hunter2@127.0.0.1:1/x'],
  ])(
    'with a DATABASE_URL %s fails with a message that names the setting without its value',
    async (_, DATABASE_URL) => {
      for (const args of [['migrate'], ...commands]) {
        const message = await problem(run(args, DATABASE_URL));
        expect(message).toContain('DATABASE_URL');
        expect(message).not.toContain('hunter2');
      }
      expect((await run(['--help'], DATABASE_URL)).code).toBe(0);
    },
  );
});

/** Runs a command with this DATABASE_URL. */
async function run(args: string[], DATABASE_URL: string): Promise<CommandResult> {
  const result = { code: 0, stdout: '', stderr: '' };
  const output = {
    stdout: { write: (text: string) => (result.stdout += text) },
    stderr: { write: (text: string) => (result.stderr += text) },
  };
  result.code = await runCli(args, output, () => readSettings({ DATABASE_URL }));
  return result;
}

test('a command prints why the application cannot be created', async () => {
  const settings = { ...database.settings(), DATABASE_URL: 'mysql://root@127.0.0.1:1/none', DATABASE_TLS: true };
  const output = { stdout: { write: jest.fn() }, stderr: { write: jest.fn() }, stdin: process.stdin };
  const code = await runCli(['migrate'], output, () => ({ ...settings, DATABASE_CA_FILE: '/missing' }) as never);
  expect(code).toBe(1);
  expect(output.stderr.write).toHaveBeenCalledWith(expect.stringContaining('DATABASE_CA_FILE'));
});
