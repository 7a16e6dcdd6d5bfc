import type { SqlPart } from './engine.js';

export const LIST_COLUMNS = `SELECT TABLE_NAME AS tableName, COLUMN_NAME AS columnName
  FROM information_schema.columns WHERE TABLE_SCHEMA = DATABASE()`;

export function straightJoin(table: string, index = 'PRIMARY'): string {
  return `STRAIGHT_JOIN ${table} FORCE INDEX (${index})`;
}

export function upsertClause(_keys: readonly string[], columns: readonly string[]): string {
  return ` ON DUPLICATE KEY UPDATE ${columns.map((column) => `${column} = VALUES(${column})`).join()}`;
}

/** Uses one placeholder for all rows, because mysql2 escapes it several times faster than one for each value. */
export function values(rows: readonly (readonly unknown[])[]): SqlPart {
  return { sql: '?', parameters: [rows] };
}

/**
 * Groups the rows by all columns except the last. For `(a, b) IN (…)`, MariaDB takes quadratic time if the table has
 * another index.
 */
export function rowIn(columns: readonly string[], rows: readonly (readonly unknown[])[]): SqlPart {
  const last = columns.length - 1;
  const groups = new Map<string, { head: readonly unknown[]; values: unknown[] }>();
  for (const row of rows) {
    const head = row.slice(0, last);
    // No value contains a NUL.
    const name = head.join('\0');
    const group = groups.get(name);
    if (group) group.values.push(row[last]);
    else groups.set(name, { head, values: [row[last]] });
  }
  const equals = columns.slice(0, last).map((column) => `${column} = ? AND `);
  const terms = [...groups.values()].map(
    ({ values: { length } }) => `(${equals.join('')}${columns[last]} IN (${Array(length).fill('?').join()}))`,
  );
  const parameters = [...groups.values()].flatMap(({ head, values: own }) => [...head, ...own]);
  return { sql: `(${terms.join(' OR ')})`, parameters };
}
