import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

const FOLDER = resolve(import.meta.dirname, '../../docs/schema');

/** What MySQL and MariaDB print differently for the same column, key or table. */
const DIFFERENCES = [
  / (?:CHARACTER SET|COLLATE)[ =]\w+/g,
  / DEFAULT (?:NULL|'?[\d.]+'?)/g,
  / ON DELETE RESTRICT/g,
  /(?<=int)\(\d+\)/g,
  /,$/gm,
];

/** The lines of a generated schema that do not depend on the server. */
function linesOf(server: string): string[] {
  const text = readFileSync(resolve(FOLDER, `${server}.sql`), 'utf8');
  return DIFFERENCES.reduce((rest, pattern) => rest.replaceAll(pattern, ''), text)
    .split('\n')
    .toSorted();
}

// A run has one of the two servers, and compares the file of that server with the database (test/migrations.e2e.ts).
test('docs/schema/mysql.sql and mariadb.sql describe the same schema, so that neither is stale', () => {
  expect(linesOf('mysql')).toEqual(linesOf('mariadb'));
});
