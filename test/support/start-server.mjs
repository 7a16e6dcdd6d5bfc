import mysql from 'mysql2/promise';
import { findServer } from './programs.mjs';
import { startPrivateServer } from './private-server.mjs';

/**
 * Sets TEST_MYSQL_URL to a server for this run: the given one, or a private one in a temporary folder. For a private
 * one, TEST_MYSQL_PROGRAM holds its program as JSON.
 */
export default async function startServer() {
  const found = findServer();
  const url = found.url ?? (await startPrivate(found));
  process.env.TEST_MYSQL_URL = url;
  const connection = await mysql.createConnection(url);
  const [[{ version }]] = await connection.query('SELECT VERSION() AS version');
  await connection.end();
  process.stderr.write(`The suite "mysql" runs on ${version}.\n`);
}

async function startPrivate(found) {
  const options = ['--innodb-flush-log-at-trx-commit=0', '--max-connections=300'];
  process.env.TEST_MYSQL_PROGRAM = JSON.stringify(found);
  globalThis.privateServer = await startPrivateServer(found, options);
  return globalThis.privateServer.url;
}
