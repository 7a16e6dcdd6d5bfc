import { getMetadataArgsStorage } from 'typeorm';
import { command } from '../config/command.js';
import { assertCurrent } from './migrations/pending-migrations.js';
import type { Query } from './query.js';

/** The tables without an entity, with their columns. */
const WITHOUT_ENTITY = {
  catalogue_findings: ['RuleName', 'Findings', 'CheckedAt'],
  changed_skus: ['Part', 'Code', 'SKU', 'Counter', 'RemovedCounter'],
  content_versions: ['Part', 'Code', 'Version', 'ChangedAt', 'LoggedVersion', 'Counter', 'FirstCounter'],
  imported_files: ['TableName', 'Sha256', 'LastImportedAt'],
  imported_tables: ['TableName', 'ImportedAt'],
  product_documents: ['SKU', 'Shape', 'Document'],
  version_history: ['Part', 'Code', 'Version', 'Counter', 'SupersededAt'],
};

/** Returns the tables of this release, with the names of their columns. */
export function requiredColumns(): Map<string, readonly string[]> {
  const { tables, columns } = getMetadataArgsStorage();
  const declared = tables.flatMap(({ name, target }) => {
    const own = columns.filter((column) => column.target === target);
    return name ? [[name, own.map(({ options, propertyName }) => options.name ?? propertyName)] as const] : [];
  });
  return new Map([...declared, ...Object.entries(WITHOUT_ENTITY)].toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

/**
 * Checks the list of columns only. A probe must not read rows, or wait for a migration that changes a table.
 * @param listColumns a statement that returns the `tableName` and `columnName` of each column
 * @throws if the database lacks a migration, a table or a column, for example during a restore
 */
export async function assertSchemaComplete(query: Query, listColumns: string): Promise<void> {
  const present = await assertTables(query, listColumns);
  const missing = [...requiredColumns()].flatMap(([table, columns]) =>
    columns.filter((column) => !present.get(table)!.has(column)).map((column) => `${table}.${column}`),
  );
  if (missing.length) throw new Error(`The database lacks ${missing.join(', ')}; run: ${command('migrate --repeat')}`);
}

/**
 * Returns the tables of the database with their columns.
 * @throws if the database lacks a migration or a table
 */
export async function assertTables(query: Query, listColumns: string): Promise<Map<string, Set<string>>> {
  await assertCurrent(query);
  const present = new Map<string, Set<string>>();
  for (const { tableName, columnName } of await query(listColumns)) {
    const columns = present.get(String(tableName)) ?? new Set();
    present.set(String(tableName), columns.add(String(columnName)));
  }
  const missing = [...requiredColumns().keys()].filter((table) => !present.has(table));
  // The server does not list tables on which the account has no rights.
  if (missing.length)
    throw new Error(`The database lacks ${missing.join(', ')}; grant the account its rights, or restore all tables`);
  return present;
}
