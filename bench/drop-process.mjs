// Drops a database: node drop-process.mjs URL NAME. A process that ends can wait for another process, but not for a query.
import mysql from 'mysql2/promise';

const [url, name] = process.argv.slice(2);
// A private server that has ended too has nothing to drop.
const connection = await mysql.createConnection(url).catch(() => process.exit());
// An import that was killed may still hold locks until the server notices it.
await connection.query('SET lock_wait_timeout = 30');
await connection.query(`DROP DATABASE IF EXISTS ${name}`);
await connection.end();
