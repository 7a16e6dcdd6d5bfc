// The yardstick of the import: what somebody writes who has the rows in memory and wants them in the tables.
import mysql from 'mysql2/promise';
import { chunksOf, dataSet } from './data-set.mjs';

const ROWS = 1_000;

/**
 * Inserts a data set by statements of 1,000 rows, one after the other, in one transaction. Only the statements are
 * timed, with the text that mysql2 makes of them: the rows are made while the clock stands. The triggers that keep
 * documents and versions in step are off, as they are for the import, and it makes no documents: the rows alone.
 * @returns {Promise<Record<string, number>>} seconds of each table, and of the commit
 */
export async function insertRows(url, size) {
  const connection = await mysql.createConnection(url);
  const seconds = {};
  const timed = async (label, sql, values) => {
    const start = performance.now();
    await connection.query(sql, values);
    seconds[label] = (seconds[label] ?? 0) + (performance.now() - start) / 1000;
  };
  await connection.query('SET @customer_data_import = 1');
  await connection.query('START TRANSACTION');
  for (const { name, columns, rows } of dataSet(size)) {
    const sql = `INSERT INTO ${name} (${columns.join()}) VALUES ?`;
    for (const chunk of chunksOf(rows(), ROWS)) await timed(name, sql, [chunk.map(Object.values)]);
  }
  await timed('COMMIT', 'COMMIT');
  await connection.end();
  return seconds;
}
