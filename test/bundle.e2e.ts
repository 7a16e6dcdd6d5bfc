import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readdir, rm, stat } from 'node:fs/promises';
import module from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describeUnless } from './support/describe-with.js';

const execute = promisify(execFile);
const program = (name: string) => join(__dirname, '../dist', name);
const script = (code: string) => `data:text/javascript,${encodeURIComponent(code)}`;

/** A loader that prints the URL of each file. */
const REPORTER = script('export const load = (url, context, next) => (process._rawDebug(url), next(url, context));');

/** Prints the CommonJS files and the modules of Node that the process has loaded. The bundle has no CommonJS files. */
const AT_EXIT = script(
  `import { createRequire } from 'node:module';
  const loaded = () => [...Object.keys(createRequire('/').cache), ...process.moduleLoadList];
  process.on('exit', () => process._rawDebug(loaded().join('\\n')));`,
);

/** The package and its dependencies. */
const LIBSQL = new Set(['libsql', '@libsql', '@neon-rs', 'detect-libc']);

/** Runs a command that reports each file that it loads. @throws if it fails */
const reporting = (args: string[], env?: Record<string, string | undefined>) =>
  execute(process.execPath, ['--no-warnings', '--loader', REPORTER, program('cli.js'), ...args], { env });

/** The paths of the modules that a command loaded. @param stderr its standard error */
function modulesIn(stderr: string): string[] {
  const files = stderr.split('\n').filter((line) => line.startsWith('file:'));
  // The bundler writes the path of each module above its code.
  const comments = files.flatMap(
    (url) => readFileSync(fileURLToPath(url), 'utf8').match(/^\/\/ \S+\.m?[jt]s$/gm) ?? [],
  );
  return comments.map((comment) => comment.slice(3));
}

test('--help loads at most twenty modules (decision 206)', async () => {
  const { stdout, stderr } = await reporting(['--help']);
  expect(stdout).toContain('Usage: customer-data');
  const modules = modulesIn(stderr);
  expect(modules).toContain('src/cli/program.ts');
  expect(modules.length).toBeLessThanOrEqual(20);
});

/** No server listens there. The command fails after it has loaded all modules and the driver of the database. */
const UNREACHABLE = { DATABASE_URL: 'mysql://root@127.0.0.1:1/none' };

/** The packages that a command loads until it cannot reach the database. */
async function packagesOf(args: string[], settings = {}): Promise<Set<string | undefined>> {
  const run = reporting(args, { PATH: process.env.PATH, ...UNREACHABLE, ...settings });
  const { stderr } = await run.catch((error: { stderr: string }) => error);
  expect(stderr).toContain('ECONNREFUSED');
  return new Set(modulesIn(stderr).map((path) => path.match(/^node_modules\/((@[^/]+\/)?[^/]+)/)?.[1]));
}

test('migrate loads no Express, ioredis, yaml or libphonenumber-js (decision 206)', async () => {
  const packages = await packagesOf(['migrate']);
  expect(packages).toContain('mysql2');
  const unused = ['express', '@nestjs/platform-express', 'ioredis', 'yaml', 'libphonenumber-js'];
  expect(unused.filter((name) => packages.has(name))).toEqual([]);
});

test('quota show loads ioredis (decision 206)', async () => {
  expect(await packagesOf(['quota', 'show', 'A'], { REDIS_URL: 'redis://127.0.0.1:1' })).toContain('ioredis');
});

/** The code of all files of the bundle. */
async function bundledCode(): Promise<string> {
  const files = (await readdir(program('.'), { recursive: true })).filter((name) => name.endsWith('.js'));
  return files.map((name) => readFileSync(program(name), 'utf8')).join('\n');
}

test('the bundle contains no TypeORM driver except those of MySQL and SQLite (decision 206)', async () => {
  const drivers = (await bundledCode()).matchAll(/^\/\/ node_modules\/typeorm\/driver\/([\w-]+)\/\w+Driver\.js$/gm);
  expect([...drivers].map(([, folder]) => folder).toSorted()).toEqual(['better-sqlite3', 'mysql', 'sqlite-abstract']);
});

test("no file of the bundle imports node:http, which would load Node's HTTP client (decision 206)", async () => {
  const code = await bundledCode();
  expect(code).toContain('process.getBuiltinModule("node:http")');
  expect(code.match(/\b(from|import\(?) *"(node:)?http"/g)).toBeNull();
});

describeUnless(!('enableCompileCache' in module) && 'Node 20 has no compile cache', 'the compile cache', () => {
  test('a command keeps its compiled code where only its account can write (decision 206)', async () => {
    const folder = program('compile-cache');
    await rm(folder, { recursive: true, force: true });
    await packagesOf(['migrate']);
    const files = await readdir(folder, { recursive: true, withFileTypes: true });
    expect(files.filter((file) => file.isFile()).length).toBeGreaterThan(5);
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
  });
});

describe.each([
  ['a command', 'cli.js', ['migrate'], UNREACHABLE, 'ECONNREFUSED'],
  ['the service', 'main.js', [], { PORT: 'none' }, 'PORT'],
])('%s', (_, name, args, settings, message) => {
  /** Everything that the process loads until it fails. */
  let loaded: string[];
  beforeAll(async () => {
    const env = { PATH: process.env.PATH, ...settings };
    const run = execute(process.execPath, ['--import', AT_EXIT, program(name), ...args], { env });
    const { stderr } = await run.catch((error: { stderr: string }) => error);
    if (!stderr.includes(message)) throw new Error(stderr);
    loaded = stderr.split('\n');
  });

  test('loads no package but libsql from node_modules (decision 206)', () => {
    const packages = loaded.flatMap((line) => line.split('/node_modules/').at(1)?.split('/')[0] ?? []);
    expect(packages).toContain('libsql');
    expect(packages.filter((one) => !LIBSQL.has(one))).toEqual([]);
  });

  test("does not load Node's HTTP client (decision 206)", () => {
    expect(loaded).toContain('NativeModule net');
    expect(loaded.filter((line) => line.includes('undici'))).toEqual([]);
  });
});
