import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import module from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const execute = promisify(execFile);
const program = (name: string) => join(__dirname, '../dist', name);
const script = (code: string) => `data:text/javascript,${encodeURIComponent(code)}`;

/** A loader that prints the URL of each file. */
const REPORTER = script('export const load = (url, context, next) => (process._rawDebug(url), next(url, context));');

/** Prints the CommonJS files that the process has loaded. The bundle itself has none. */
const AT_EXIT = script(
  `import { createRequire } from 'node:module';
  process.on('exit', () => process._rawDebug(Object.keys(createRequire('/').cache).join('\\n')));`,
);

/** The package and its dependencies. */
const LIBSQL = new Set(['libsql', '@libsql', '@neon-rs', 'detect-libc']);

/** No server listens there. The command fails after it has loaded all modules and the driver of the database. */
const UNREACHABLE = { DATABASE_URL: 'mysql://root@127.0.0.1:1/none' };

/** The output of a command, and the paths of the modules that it loads. */
async function modulesOf(...args: string[]): Promise<{ output: string; modules: string[] }> {
  const options = ['--no-warnings', '--loader', REPORTER, program('cli.js')];
  const env = { PATH: process.env.PATH, ...UNREACHABLE };
  const run = execute(process.execPath, [...options, ...args], { env });
  const { stdout, stderr } = await run.catch((error: { stdout: string; stderr: string }) => error);
  const files = stderr.split('\n').filter((line) => line.startsWith('file:'));
  // The bundler writes the path of each module above its code.
  const heads = files.flatMap((url) => readFileSync(fileURLToPath(url), 'utf8').match(/^\/\/ \S+\.m?[jt]s$/gm) ?? []);
  return { output: stdout + stderr, modules: heads.map((head) => head.slice(3)) };
}

test('--help loads at most twenty modules (decision 206)', async () => {
  const { output, modules } = await modulesOf('--help');
  expect(output).toContain('Usage: customer-data');
  expect(modules).toContain('src/cli/program.ts');
  expect(modules.length).toBeLessThanOrEqual(20);
});

test('a command loads neither Express nor the clients and parsers that it does not need (decision 206)', async () => {
  const { output, modules } = await modulesOf('migrate');
  expect(output).toContain('ECONNREFUSED');
  const packages = new Set(modules.map((path) => path.match(/^node_modules\/((@[^/]+\/)?[^/]+)/)?.[1]));
  expect(packages).toContain('mysql2');
  const unneeded = ['express', '@nestjs/platform-express', 'ioredis', 'yaml', 'libphonenumber-js'];
  expect(unneeded.filter((name) => packages.has(name))).toEqual([]);
});

// Version 20 of Node cannot keep it.
if ('enableCompileCache' in module)
  test('Node keeps the compiled code of a command (decision 206)', async () => {
    await modulesOf('migrate');
    expect(readdirSync(program('compile-cache'))).not.toEqual([]);
  });

test.each([
  ['a command', 'cli.js', ['migrate'], UNREACHABLE, 'ECONNREFUSED'],
  ['the service', 'main.js', [], { PORT: 'none' }, 'PORT'],
])('%s loads no package but libsql from node_modules (decision 206)', async (_, name, args, settings, message) => {
  const env = { PATH: process.env.PATH, ...settings };
  const run = execute(process.execPath, ['--import', AT_EXIT, program(name), ...args], { env });
  const { stderr } = await run.catch((error: { stderr: string }) => error);
  expect(stderr).toContain(message);
  const packages = stderr.split('\n').flatMap((line) => line.split('/node_modules/').at(1)?.split('/')[0] ?? []);
  expect(packages).toContain('libsql');
  expect(packages.filter((one) => !LIBSQL.has(one))).toEqual([]);
});
