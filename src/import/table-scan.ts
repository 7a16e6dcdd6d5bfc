import { behindKey } from '../database/behind-key.js';
import type { Query, Row } from '../database/query.js';
import type { ImportTable } from './import-tables.js';

/** Reads all rows of a table in batches, ordered by key. Rows may be removed between batches. */
export async function* scanTable(
  query: Query,
  { name, key: keys }: ImportTable,
  selected: readonly string[],
  batchRows: number,
): AsyncGenerator<Row[]> {
  const read = (where: string, parameters: readonly unknown[] = []) =>
    query(`SELECT ${selected.join()} FROM ${name} ${where} ORDER BY ${keys.join()} LIMIT ${batchRows}`, parameters);
  // The first batch needs a statement of its own, because MySQL cannot compare a date with ''.
  let rows = await read('');
  for (;;) {
    yield rows;
    if (rows.length < batchRows) return;
    const last = rows.at(-1)!;
    const behind = behindKey(
      keys,
      keys.map((key) => last[key]),
    );
    rows = await read(`WHERE ${behind.sql}`, behind.parameters);
  }
}
