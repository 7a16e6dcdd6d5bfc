// The yardstick of the import: plain inserts of rows that are in memory.
import mysql from 'mysql2/promise';
import { chunksOf, dataSet } from './data-set.mjs';

const ROWS = 1_000;

/**
 * Inserts a data set with statements of 1,000 rows, one after another, in one transaction. The time covers the
 * statements and the SQL text that mysql2 builds, but not the computation of the rows. The triggers that update
 * documents and versions are off, as they are during an import. The inserts write no documents.
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
