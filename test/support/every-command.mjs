// The image test runs this program in a container: it runs each command once, in one process, because each start takes
// a second. A failed command and a command that the list lacks are errors. The program prints a key of DEMO-SHOP.
import { createRequire } from 'node:module';

const require = createRequire('/app/dist/cli.js');
require('reflect-metadata');
const { Logger } = await import(require.resolve('@nestjs/common'));
Logger.overrideLogger(false);
const { runCli } = await import('/app/dist/cli/program.js');

const ran = new Set();
await run('migrate');
await run('import', '/mnt/files');
await run('import', 'log');
await run('customer', 'set', 'ACME', '--name', 'Acme', '--price-list', 'EUR-RETAIL', '--warehouse', 'NL01');
await run('customer', 'list');
await run('customer', 'show', 'ACME');
await run('customer', 'log', 'ACME');
await run('key', 'issue', 'ACME');
await run('key', 'rotate', 'ACME');
const [, id] = /^(\d+) /m.exec(await run('key', 'list', 'ACME'));
await run('key', 'revoke', id);
await run('quota', 'show', 'ACME').catch((error) => {
  if (!error.message.includes('REDIS_URL is not set')) throw error;
});
await run('documents', 'build');
await run('documents', 'check');
await run('catalogue', 'check');
await run('export', '/mnt/export');
await run('customer', 'delete', 'ACME');
const missing = (await leaves()).filter((name) => !ran.has(name));
if (missing.length) throw new Error(`Add these commands to every-command.mjs: ${missing.join(', ')}`);
console.log(`Key ${(await run('key', 'issue', 'DEMO-SHOP')).trim()}`);

/** Returns what the command prints to standard output. */
async function run(...args) {
  const printed = { stdout: '', stderr: '' };
  const stream = (name) => ({ write: (text) => void (printed[name] += text) });
  const code = await runCli(args, { stdout: stream('stdout'), stderr: stream('stderr') });
  for (const length of [1, 2]) ran.add(args.slice(0, length).join(' '));
  // 2: a check has findings.
  if (code !== 0 && code !== 2) throw new Error(`${args.join(' ')}: ${printed.stdout}${printed.stderr}`);
  return printed.stdout;
}

/** Returns the names of all commands that do something, from the help texts. */
async function leaves(...parents) {
  const help = await run(...parents, '--help');
  const [, list = ''] = /^Commands:\n([\s\S]*)/m.exec(help) ?? [];
  const names = [...list.matchAll(/^ {2}([a-z]+)/gm)].map(([, name]) => name).filter((name) => name !== 'help');
  if (!names.length) return [parents.join(' ')];
  return (await Promise.all(names.map((name) => leaves(...parents, name)))).flat();
}
