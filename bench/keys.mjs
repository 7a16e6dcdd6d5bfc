// API keys for customers, written as `key issue` writes them: to run that for each would take minutes.
import mysql from 'mysql2/promise';
import { createHash } from 'node:crypto';

/** The key of every customer of a benchmark. */
export const KEY = 'benchmark'.padEnd(44, '0');

/** Gives all customers of a database the key. */
export async function giveKeys(url) {
  const connection = await mysql.createConnection(url);
  const digest = createHash('sha256').update(KEY).digest('hex');
  const sql = `INSERT INTO api_keys (CustomerCode, Digest, CreatedAt)
    SELECT CustomerCode, ?, UTC_TIMESTAMP(3) FROM customers`;
  await connection.query(sql, [digest]);
  await connection.end();
}
