import type { WriteSession } from './engine.js';

/** How many rows one statement inserts at most. */
const AT_ONCE = 1000;
/** The longest row, in bytes: two codes of 64 characters of four bytes each, versions, counters and quotes. */
const ROW_BYTES = 800;

/**
 * Inserts short rows, or overwrites the rows of the same key.
 * @param rows values of the key columns, then of the other columns
 * @param overwritten the columns that an existing row gets. Default: all columns outside the key
 */
export async function upsert(
  session: WriteSession,
  table: string,
  key: readonly string[],
  columns: readonly string[],
  rows: readonly (readonly unknown[])[],
  overwritten = columns,
): Promise<void> {
  const insert = `INSERT INTO ${table} (${[...key, ...columns].join()}) VALUES`;
  const clause = session.upsertClause(key, overwritten);
  const atOnce = Math.max(1, Math.min(AT_ONCE, Math.floor(session.limits.bytes / ROW_BYTES) - 1));
  for (let start = 0; start < rows.length; start += atOnce) {
    const { sql, parameters } = session.values(rows.slice(start, start + atOnce));
    await session.query(`${insert} ${sql}${clause}`, parameters);
  }
}
