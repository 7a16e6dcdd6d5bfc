import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The MySQL-like server that the tests may use: a running one by its URL, or the program of one; none: undefined. */
export function findServer(env = process.env) {
  if (env.TEST_MYSQL_URL) return { url: env.TEST_MYSQL_URL };
  const folders = [...(env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/libexec'];
  for (const program of ['mariadbd', 'mysqld']) {
    const folder = folders.find((candidate) => existsSync(join(candidate, program)));
    if (folder) return { program: join(folder, program), mariadb: program === 'mariadbd' };
  }
  return undefined;
}
