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
  const terms = keys.map((key, index) => [...keys.slice(0, index).map((equal) => `${equal} = ?`), `${key} > ?`]);
  const behind = `WHERE ${terms.map((all) => `(${all.join(' AND ')})`).join(' OR ')}`;
  const read = (where: string, parameters: readonly unknown[]) =>
    query(`SELECT ${selected.join()} FROM ${name} ${where} ORDER BY ${keys.join()} LIMIT ${batchRows}`, parameters);
  // No value stands before the first row: MySQL refuses to compare a day with ''.
  let rows = await read('', []);
  for (;;) {
    yield rows;
    if (rows.length < batchRows) return;
    const last = keys.map((key) => rows.at(-1)![key]);
    const parameters = keys.flatMap((_, index) => last.slice(0, index + 1));
    rows = await read(behind, parameters);
  }
}
