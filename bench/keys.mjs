// Writes API keys as `key issue` does. Running the command for every customer would take minutes.
import mysql from 'mysql2/promise';
import { createHash } from 'node:crypto';

/** The API key of every customer of a benchmark. */
export const KEY = 'benchmark'.padEnd(44, '0');

/** Issues the key to all customers of a database. */
export async function issueKeys(url) {
  const connection = await mysql.createConnection(url);
  const digest = createHash('sha256').update(KEY).digest('hex');
  const sql = `INSERT INTO api_keys (CustomerCode, Digest, CreatedAt)
    SELECT CustomerCode, ?, UTC_TIMESTAMP(3) FROM customers`;
  await connection.query(sql, [digest]);
  await connection.end();
}
