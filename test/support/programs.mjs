import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** A file that `npm ci` in a folder of `test/` writes last. */
const lastFileOf = (folder) => join(import.meta.dirname, '..', folder, 'node_modules/.package-lock.json');

/**
 * The programs besides Node that `npm run test:all` needs: the Jest project that needs it, its Debian package or the
 * command that installs it, and a command that must succeed if finding the program does not prove enough. Debian keeps
 * servers in /usr/sbin, which only the PATH of root contains.
 */
export const PROGRAMS = [
  { name: 'mariadbd', project: 'mysql', package: 'mariadb-server' },
  {
    name: 'galera',
    project: 'mysql',
    package: 'galera-4 rsync',
    proof: ['sh', '-c', 'test -e /usr/lib/galera/libgalera_smm.so && which mariadbd rsync'],
  },
  { name: 'redis-server', project: 'redis', package: 'redis-server' },
  { name: 'nginx', project: 'rollout', package: 'nginx' },
  { name: 'chromium', project: 'browser', package: 'chromium' },
  { name: 'kubectl', project: 'deploy', package: 'kubernetes-client' },
  { name: 'promtool', project: 'deploy', package: 'prometheus' },
  { name: 'rclone', project: 'deploy', package: 'rclone' },
  { name: 'sqlite3', project: 'deploy', package: 'sqlite3' },
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
  {
    name: 'python3-requests-oauthlib',
    project: 'clients',
    package: 'python3-requests-oauthlib',
    proof: ['/usr/bin/python3', '-c', 'import requests_oauthlib'],
  },
  {
    name: 'python3-authlib',
    project: 'clients',
    package: 'python3-authlib',
    proof: ['/usr/bin/python3', '-c', 'import authlib, requests'],
  },
  {
    name: 'ruby-oauth2',
    project: 'clients',
    package: 'ruby-oauth2',
    proof: ['/usr/bin/ruby', '-e', "require 'oauth2'"],
  },
  {
    name: 'golang-x-oauth2',
    project: 'clients',
    package: 'golang-go golang-golang-x-oauth2-dev',
    proof: ['sh', '-c', 'go version && test -d /usr/share/gocode/src/golang.org/x/oauth2'],
  },
  { name: 'php', project: 'clients', package: 'php-cli' },
  { name: 'php-curl', project: 'clients', package: 'php-curl', proof: ['php', '-r', 'curl_init();'] },
  { name: 'ruby', project: 'clients', package: 'ruby' },
  {
    name: 'perl-https',
    project: 'clients',
    package: 'libio-socket-ssl-perl',
    proof: ['perl', '-MIO::Socket::SSL', '-MHTTP::Tiny', '-e', '1'],
  },
  { name: 'go', project: 'clients', package: 'golang-go' },
  { name: 'mcs', project: 'clients', package: 'mono-mcs' },
  { name: 'mono', project: 'clients', package: 'mono-runtime' },
  { name: 'soffice', project: 'clients', package: 'libreoffice-calc-nogui' },
  {
    name: 'mono-http',
    project: 'clients',
    package: 'libmono-system-net-http4.0-cil',
    proof: ['sh', '-c', 'test -e /usr/lib/mono/4.5/System.Net.Http.dll'],
  },
  // These two need 270 MB and 100 MB, so `npm ci` in the root does not install them.
  {
    name: 'generators',
    project: 'clients',
    command: 'npm ci --prefix test/generators',
    proof: ['test', '-e', lastFileOf('generators')],
  },
  {
    name: 'kubernetes-schemas',
    project: 'deploy',
    command: 'npm ci --prefix test/kubernetes-schemas',
    proof: ['test', '-e', lastFileOf('kubernetes-schemas')],
  },
];

/** Returns the programs of the list that are missing on this machine. */
export function missingPrograms(env = process.env) {
  return PROGRAMS.filter((program) => !isInstalled(program, env));
}

/** Returns the names of the installed programs that this Jest project needs. */
export function programsOf(project, env = process.env) {
  return PROGRAMS.filter((program) => program.project === project && isInstalled(program, env)).map(({ name }) => name);
}

function isInstalled({ name, proof }, env) {
  if (proof) return spawnSync(proof[0], proof.slice(1), { env }).status === 0;
  if (name === 'redis-server') return findRedisServer(env) !== undefined;
  return name === 'mariadbd' ? findServer(env) !== undefined : findProgram(name, env) !== undefined;
}

/**
 * Returns the MySQL or MariaDB server for the tests: the URL of a running server, or a server program. Undefined: there
 * is none.
 */
export function findServer(env = process.env) {
  return env.TEST_MYSQL_URL ? { url: env.TEST_MYSQL_URL } : findServerProgram(env);
}

/** Returns the program of a MySQL or MariaDB server that tests may start, stop and break. Undefined: there is none. */
export function findServerProgram(env = process.env) {
  for (const name of ['mariadbd', 'mysqld']) {
    const program = findProgram(name, env);
    if (program) return { program, mariadb: name === 'mariadbd' };
  }
  return undefined;
}

/**
 * Returns the Redis server for the tests: the program of TEST_REDIS_SERVER, or redis-server. Undefined: there is none.
 */
export function findRedisServer(env = process.env) {
  return env.TEST_REDIS_SERVER ?? findProgram('redis-server', env);
}

/** Returns the path of a program in PATH. Undefined: PATH does not contain it. */
export function findProgram(name, env = process.env) {
  return (env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find((path) => existsSync(path));
}
