import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/**
 * What `npm run test:all` runs besides Node: the project of Jest that needs it, its Debian package, and, where finding
 * the program does not prove enough, a command that must succeed. Debian keeps servers in /usr/sbin, which only the PATH
 * of root names.
 */
export const PROGRAMS = [
  { name: 'mariadbd', project: 'mysql', package: 'mariadb-server' },
  { name: 'redis-server', project: 'redis', package: 'redis-server' },
  { name: 'nginx', project: 'rollout', package: 'nginx' },
  { name: 'chromium', project: 'browser', package: 'chromium' },
  { name: 'kubectl', project: 'deploy', package: 'kubernetes-client' },
  { name: 'promtool', project: 'deploy', package: 'prometheus' },
  { name: 'unshare', project: 'deploy', package: 'util-linux' },
  { name: 'curl', project: 'clients', package: 'curl' },
  { name: 'javac', project: 'clients', package: 'default-jdk-headless' },
  { name: 'python3', project: 'clients', package: 'python3' },
  {
    name: 'python3-requests',
    project: 'clients',
    package: 'python3-requests',
    proof: ['python3', '-c', 'import requests'],
  },
  { name: 'php', project: 'clients', package: 'php-cli' },
  { name: 'php-curl', project: 'clients', package: 'php-curl', proof: ['php', '-r', 'curl_init();'] },
  { name: 'mcs', project: 'clients', package: 'mono-mcs' },
  { name: 'mono', project: 'clients', package: 'mono-runtime' },
  {
    name: 'mono-http',
    project: 'clients',
    package: 'libmono-system-net-http4.0-cil',
    proof: ['sh', '-c', 'test -e /usr/lib/mono/4.5/System.Net.Http.dll'],
  },
];

/** The programs of that list that are missing here. */
export function missingPrograms(env = process.env) {
  return PROGRAMS.filter((program) => !isThere(program, env));
}

/** The names of the programs that are here and that this project of Jest needs. */
export function programsOf(project, env = process.env) {
  return PROGRAMS.filter((program) => program.project === project && isThere(program, env)).map(({ name }) => name);
}

function isThere({ name, proof }, env) {
  if (proof) return spawnSync(proof[0], proof.slice(1), { env }).status === 0;
  return name === 'mariadbd' ? findServer(env) !== undefined : findProgram(name, env) !== undefined;
}

/** The MySQL or MariaDB server that the tests may use: the URL of a running one, or the program of one; none: undefined. */
export function findServer(env = process.env) {
  return env.TEST_MYSQL_URL ? { url: env.TEST_MYSQL_URL } : findServerProgram(env);
}

/** The program of a MySQL or MariaDB server that tests may start, stop and break; none: undefined. */
export function findServerProgram(env = process.env) {
  for (const name of ['mariadbd', 'mysqld']) {
    const program = findProgram(name, env);
    if (program) return { program, mariadb: name === 'mariadbd' };
  }
  return undefined;
}

/** The path of a program, looked up in PATH and nowhere else; none: undefined. */
export function findProgram(name, env = process.env) {
  return (env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find((path) => existsSync(path));
}
