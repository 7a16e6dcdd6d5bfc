import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

const FOLDER = resolve(import.meta.dirname, '../../docs/schema');

/** Text that MySQL and MariaDB print differently for the same column, key or table. */
const DIFFERENCES = [
  / (?:CHARACTER SET|COLLATE)[ =]\w+/g,
  / DEFAULT (?:NULL|'?[\d.]+'?)/g,
  / ON DELETE RESTRICT/g,
  /(?<=int)\(\d+\)/g,
  /,$/gm,
];

/** Returns the sorted lines of a generated schema, without text that depends on the server. */
function linesOf(server: string): string[] {
  const text = readFileSync(resolve(FOLDER, `${server}.sql`), 'utf8');
  return DIFFERENCES.reduce((rest, pattern) => rest.replaceAll(pattern, ''), text)
    .split('\n')
    .toSorted();
}

// A test run has one of the two servers, and compares only the file of that server (test/migrations.e2e.ts).
test('docs/schema/mysql.sql and mariadb.sql describe the same schema, so neither is stale', () => {
  expect(linesOf('mysql')).toEqual(linesOf('mariadb'));
});
