import mysql from 'mysql2/promise';
import { findServer } from './programs.mjs';
import { startPrivateServer } from './private-server.mjs';

/**
 * Sets TEST_MYSQL_URL to a server for this run: the given one, or a private one in a temporary folder. For a private
 * one, TEST_MYSQL_PROGRAM holds its program as JSON. If a given one writes a binary log, TEST_MYSQL_LOGGED is its name.
 */
export default async function startServer() {
  const found = findServer();
  const url = found.url ?? (await startPrivate(found));
  process.env.TEST_MYSQL_URL = url;
  const connection = await mysql.createConnection(url);
  const [[{ version, log }]] = await connection.query('SELECT VERSION() AS version, @@log_bin AS log');
  await connection.end();
  if (found.url && log) process.env.TEST_MYSQL_LOGGED = /mariadb/i.test(version) ? 'mariadb' : 'mysql';
  process.stderr.write(`The suite "mysql" runs on ${version}.\n`);
}

async function startPrivate(found) {
  const options = ['--innodb-flush-log-at-trx-commit=0', '--max-connections=300'];
  process.env.TEST_MYSQL_PROGRAM = JSON.stringify(found);
  globalThis.privateServer = await startPrivateServer(found, options);
  return globalThis.privateServer.url;
}
