import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The MySQL-like server that the tests may use: a running one by its URL, or the program of one; none: undefined. */
export function findServer(env = process.env) {
  return env.TEST_MYSQL_URL ? { url: env.TEST_MYSQL_URL } : findServerProgram(env);
}

/** The program of a MySQL-like server that tests may start, stop and break; none: undefined. */
export function findServerProgram(env = process.env) {
  for (const name of ['mariadbd', 'mysqld']) {
    const program = findProgram(name, env);
    if (program) return { program, mariadb: name === 'mariadbd' };
  }
  return undefined;
}

/** The program of a Redis server that tests may start, stop and break; none: undefined. */
export function findRedis(env = process.env) {
  return findProgram('redis-server', env);
}

/** The program of an nginx that tests may start; none: undefined. */
export function findNginx(env = process.env) {
  return findProgram('nginx', env);
}

/** The program of a Chromium that tests may start; none: undefined. */
export function findChromium(env = process.env) {
  return findProgram('chromium', env);
}

/** What clients in other languages run on: those of them that are here. */
export function findClientPrograms(env = process.env) {
  const found = ['curl', 'java', 'python3', 'php', 'mcs', 'mono'].filter((name) => findProgram(name, env));
  const requests = found.includes('python3') && spawnSync('python3', ['-c', 'import requests']).status === 0;
  return requests ? [...found, 'requests'] : found;
}

/** The path of a program; none: undefined. */
export function findProgram(name, env = process.env) {
  const folders = [...(env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/libexec'];
  return folders.map((folder) => join(folder, name)).find((program) => existsSync(program));
}
