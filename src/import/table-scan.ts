import type { Query, Row } from '../database/query.js';
import type { ImportTable } from './import-tables.js';

/** All rows of a table in the order of its key, in batches; rows that are removed meanwhile do no harm. */
export async function* scanTable(
  query: Query,
  { name, key: keys }: ImportTable,
  selected: readonly string[],
  batchRows: number,
): AsyncGenerator<Row[]> {
  // Spelt out: MySQL reads no range of an index for (a, b) > (?, ?).
  const behind = keys.map((key, index) => [...keys.slice(0, index).map((equal) => `${equal} = ?`), `${key} > ?`]);
  const sql = `SELECT ${selected.join()} FROM ${name}
    WHERE ${behind.map((terms) => `(${terms.join(' AND ')})`).join(' OR ')} ORDER BY ${keys.join()} LIMIT ${batchRows}`;
  let rows: Row[];
  let last: unknown[] = keys.map(() => '');
  do {
    rows = await query(
      sql,
      keys.flatMap((_, index) => last.slice(0, index + 1)),
    );
    yield rows;
    last = keys.map((key) => rows.at(-1)?.[key]);
  } while (rows.length === batchRows);
}
