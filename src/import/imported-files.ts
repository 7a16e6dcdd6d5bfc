import type { WriteSession } from '../database/engine.js';
import { upsert } from '../database/upsert.js';
import type { FileSummary, TableSummary } from './import-summary.js';

/** The content of a file that was imported into a table. */
type ImportedFile = readonly [table: string, sha256: string];

/**
 * Records the files of an import. The import time of a table changes only if its file was never imported into it
 * before. Otherwise a job that imports the same files repeatedly would make old data look fresh.
 */
export async function recordFiles(
  session: WriteSession,
  files: readonly FileSummary[],
  tables: readonly TableSummary[],
  now: string,
): Promise<void> {
  const imported = importedFiles(files, tables);
  if (!imported.length) return;
  const known = await knownTables(session, imported);
  const rows = imported.map((file) => [...file, now]);
  await upsert(session, 'imported_files', ['TableName', 'Sha256'], ['LastImportedAt'], rows);
  const fresh = imported.filter(([table]) => !known.has(table)).map(([table]) => [table, now]);
  await upsert(session, 'imported_tables', ['TableName'], ['ImportedAt'], fresh);
}

/** Deletes the records of files that were last imported before `since`. */
export async function forgetFiles({ query }: WriteSession, since: string): Promise<void> {
  await query('DELETE FROM imported_files WHERE LastImportedAt < ?', [since]);
}

/** The imported file of each table that has one. */
function importedFiles(files: readonly FileSummary[], tables: readonly TableSummary[]): ImportedFile[] {
  const hashes = new Map(files.map(({ name, sha256 }) => [name, sha256]));
  return tables.flatMap(({ table, file }) => {
    const sha256 = file && hashes.get(file);
    return sha256 ? [[table, sha256] as const] : [];
  });
}

/** The tables into which the same file was imported before. */
async function knownTables(session: WriteSession, imported: readonly ImportedFile[]): Promise<Set<string>> {
  const { sql, parameters } = session.rowIn(['TableName', 'Sha256'], imported);
  const rows = await session.query(`SELECT TableName FROM imported_files WHERE ${sql}`, parameters);
  return new Set(rows.map(({ TableName }) => String(TableName)));
}
