import { behindKey } from '../database/behind-key.js';
import type { Query, Row } from '../database/query.js';
import type { ImportTable } from './import-tables.js';

/** All rows of a table in the order of its key, in batches; rows that are removed meanwhile do no harm. */
export async function* scanTable(
  query: Query,
  { name, key: keys }: ImportTable,
  selected: readonly string[],
  batchRows: number,
): AsyncGenerator<Row[]> {
  const read = (where: string, parameters: readonly unknown[] = []) =>
    query(`SELECT ${selected.join()} FROM ${name} ${where} ORDER BY ${keys.join()} LIMIT ${batchRows}`, parameters);
  // No value stands before the first row: MySQL refuses to compare a day with ''.
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
