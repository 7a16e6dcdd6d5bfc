import { getMetadataArgsStorage } from 'typeorm';
import { assertCurrent } from './migrations/pending-migrations.js';
import type { Query } from './query.js';

/** Tables that only SQL of ours reads and writes. Every other table has an entity. */
const WITHOUT_ENTITY = ['content_versions', 'imported_files', 'imported_tables', 'product_documents'];

/** The tables of this release, by name. */
export function requiredTables(): string[] {
  const declared = getMetadataArgsStorage().tables.flatMap(({ name }) => name ?? []);
  return [...declared, ...WITHOUT_ENTITY].toSorted();
}

/**
 * Reads the catalog of the database only: a probe must neither wait for a migration that changes a table nor read rows.
 * @param listTables a statement that returns each table's `name`
 * @throws if the database that `query` asks lacks a migration or a table, for example during a restore
 */
export async function assertSchemaComplete(query: Query, listTables: string): Promise<void> {
  await assertCurrent(query);
  const present = new Set((await query(listTables)).map(({ name }) => name));
  const missing = requiredTables().filter((table) => !present.has(table));
  if (missing.length) throw new Error(`The database lacks ${missing.join(', ')}; restore all tables from a backup`);
}
