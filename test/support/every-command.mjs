// The image test runs this program in a container. It runs each command once. A failed command and a command that the
// list lacks are errors. The program prints a key of DEMO-SHOP.
import { spawnSync } from 'node:child_process';

const ran = new Set();
run('migrate');
run('import', '/mnt/files');
run('import', 'log');
run('customer', 'set', 'ACME', '--name', 'Acme', '--price-list', 'EUR-RETAIL', '--warehouse', 'NL01');
run('customer', 'list');
run('customer', 'show', 'ACME');
run('customer', 'log', 'ACME');
run('key', 'issue', 'ACME');
run('key', 'rotate', 'ACME');
const [, id] = /^(\d+) /m.exec(run('key', 'list', 'ACME'));
run('key', 'revoke', id);
run('quota', 'show', 'ACME');
run('documents', 'build');
run('documents', 'check');
run('catalogue', 'check');
run('export', '/mnt/export');
run('customer', 'delete', 'ACME');
const missing = leaves().filter((name) => !ran.has(name));
if (missing.length) throw new Error(`Add these commands to every-command.mjs: ${missing.join(', ')}`);
console.log(`Key ${run('key', 'issue', 'DEMO-SHOP').trim()}`);

/** Returns what the command prints to standard output. */
function run(...args) {
  const { status, signal, stdout, stderr } = spawnSync('node', ['dist/cli.js', ...args], { encoding: 'utf8' });
  for (const length of [1, 2]) ran.add(args.slice(0, length).join(' '));
  // 2: a check has findings. `quota show` fails, because it needs Redis, which the container lacks.
  if (status !== 0 && status !== 2 && !stderr.includes('REDIS_URL is not set'))
    throw new Error(`${args.join(' ')} (${status ?? signal}): ${stdout}${stderr}`);
  return stdout;
}

/** Returns the names of all commands that do something, from the help texts. */
function leaves() {
  return names('--help').flatMap((group) => {
    const ofGroup = names(group, '--help');
    return ofGroup.length ? ofGroup.map((name) => `${group} ${name}`) : [group];
  });
}

/** Returns the commands that a help text lists. */
function names(...args) {
  const [, list = ''] = /^Commands:\n([\s\S]*)/m.exec(run(...args)) ?? [];
  return [...list.matchAll(/^ {2}([a-z]+)/gm)].map(([, name]) => name).filter((name) => name !== 'help');
}
