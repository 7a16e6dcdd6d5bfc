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

const CLIENT_PROGRAMS = ['curl', 'javac', 'python3', 'php', 'mcs', 'mono'];

/** What some of these need besides, by a line that fails without it. */
const CLIENT_LIBRARIES = {
  'python3-requests': ['python3', '-c', 'import requests'],
  'php-curl': ['php', '-r', 'curl_init();'],
};

/** What clients in other languages run on: which of it is here, and which is not. */
export function findClientPrograms(env = process.env) {
  const isThere = (name) => {
    if (!(name in CLIENT_LIBRARIES)) return findProgram(name, env) !== undefined;
    const [program, ...line] = CLIENT_LIBRARIES[name];
    return spawnSync(program, line, { env }).status === 0;
  };
  const all = [...CLIENT_PROGRAMS, ...Object.keys(CLIENT_LIBRARIES)];
  const found = all.filter(isThere);
  return { found, missing: all.filter((name) => !found.includes(name)) };
}

/** The path of a program; none: undefined. */
export function findProgram(name, env = process.env) {
  const folders = [...(env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/libexec'];
  return folders.map((folder) => join(folder, name)).find((program) => existsSync(program));
}
