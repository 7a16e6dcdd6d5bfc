import { IMPORT_TABLES } from '../../src/import/import-tables.js';
import type { TestDatabase } from './test-service.js';

/** The rows of a query. */
export type Rows = Record<string, unknown>[];

/** Every row of every imported table, by table. */
export async function storedRows(database: TestDatabase): Promise<Record<string, Rows>> {
  const read = ({ name }: { name: string }) => database.sql(`SELECT * FROM ${name} ORDER BY 1, 2`);
  const rows = await Promise.all(IMPORT_TABLES.map(read));
  return Object.fromEntries(IMPORT_TABLES.map(({ name }, index) => [name, rows[index]!]));
}

/** Empties all imported tables, which is faster than a new database. */
export async function removeAllRows(database: TestDatabase): Promise<void> {
  await database.sql(IMPORT_TABLES.toReversed().map(({ name }) => `DELETE FROM ${name}`));
}
