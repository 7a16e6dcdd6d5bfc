import type { SqlPart } from './engine.js';

export const LIST_COLUMNS = `SELECT TABLE_NAME AS tableName, COLUMN_NAME AS columnName
  FROM information_schema.columns WHERE TABLE_SCHEMA = DATABASE()`;

export function straightJoin(table: string, index = 'PRIMARY'): string {
  return `STRAIGHT_JOIN ${table} FORCE INDEX (${index})`;
}

export function upsertClause(_keys: readonly string[], columns: readonly string[]): string {
  return ` ON DUPLICATE KEY UPDATE ${columns.map((column) => `${column} = VALUES(${column})`).join()}`;
}

/** One placeholder for all rows is several times cheaper to fill in than one a value. */
export function values(rows: readonly (readonly unknown[])[]): SqlPart {
  return { sql: '?', parameters: [rows] };
}

/** Grouped by the first column: MariaDB takes time by the square for (a, b) IN (…) where there is a further index. */
export function rowIn(columns: readonly string[], rows: readonly (readonly unknown[])[]): SqlPart {
  const [first, second] = columns;
  if (!second) return { sql: `${first} IN (${rows.map(() => '?').join()})`, parameters: rows.flat() };
  const groups = new Map<unknown, unknown[]>();
  for (const [one, other] of rows) {
    const group = groups.get(one);
    if (group) group.push(other);
    else groups.set(one, [other]);
  }
  const terms = [...groups.values()].map((group) => `(${first} = ? AND ${second} IN (${group.map(() => '?').join()}))`);
  return { sql: `(${terms.join(' OR ')})`, parameters: [...groups].flat(2) };
}
