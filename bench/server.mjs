// The database server of a benchmark, and new databases on it.
import mysql from 'mysql2/promise';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { findServer } from '../test/support/programs.mjs';
import { startPrivateServer } from '../test/support/private-server.mjs';
import { atExit } from './at-exit.mjs';
import { runCli } from './command.mjs';

const DROP = join(import.meta.dirname, 'drop-process.mjs');

/**
 * Runs `work` on the server of DATABASE_URL if its user may create databases, otherwise on a private server. Neither
 * server gets special settings: a private one commits as durably as its defaults define.
 * @param {(server: Server) => Promise<void>} work
 */
export async function withServer(work) {
  const given = await givenServer();
  const started = given ? undefined : await startPrivateServer(installedServer());
  const server = given ?? new Server(await mysql.createConnection(started.url), started.url);
  try {
    console.log(await server.describe());
    await work(server);
  } finally {
    await server.connection.end();
    await started?.stop();
  }
}

/** Connects to a server that another process has started, and that process stops. */
export async function connectTo(url) {
  return new Server(await mysql.createConnection(url), url);
}

async function givenServer() {
  const url = process.env.DATABASE_URL;
  if (!url?.startsWith('mysql:')) return undefined;
  try {
    const server = await connectTo(url);
    await server.withDatabase(async () => undefined);
    return server;
  } catch (error) {
    console.log(`The server of DATABASE_URL cannot be used (${error.message}). Starting a private server.`);
    return undefined;
  }
}

function installedServer() {
  const found = findServer({ PATH: process.env.PATH });
  if (found) return found;
  throw new Error('No database server found: set DATABASE_URL, or install mariadbd or mysqld (Debian: mariadb-server)');
}

class Server {
  #databases = 0;

  constructor(connection, url) {
    this.connection = connection;
    this.url = url;
  }

  /**
   * Runs `work` with the URL of a new migrated database, which is dropped afterwards.
   * @param cli runs a command: `migrate`
   */
  async withDatabase(work, cli = runCli) {
    const name = `bench_${process.pid}_${++this.#databases}`;
    const url = Object.assign(new URL(this.url), { pathname: `/${name}` }).href;
    await this.connection.query(`CREATE DATABASE ${name}`);
    const dropped = atExit(() => spawnSync(process.execPath, [DROP, this.url, name], { stdio: 'inherit' }));
    try {
      await cli(url, 'migrate');
      return await work(url);
    } finally {
      await this.connection.query(`DROP DATABASE ${name}`);
      dropped();
    }
  }

  /**
   * The process id of the server; undefined if it runs on another machine or cannot be found. If other programs use the
   * server of DATABASE_URL, the figures of its process include their load.
   */
  async pid() {
    const [[row]] = await this.connection.query('SELECT @@hostname AS host, @@pid_file AS file');
    try {
      const pid = Number(readFileSync(row.file, 'latin1'));
      const command = readFileSync(`/proc/${pid}/cmdline`, 'latin1');
      return row.host === hostname() && /mysqld|mariadbd/.test(command) ? pid : undefined;
    } catch {
      return undefined;
    }
  }

  /** The name and version of the product, such as `MariaDB 10.11`. */
  async product() {
    const [[{ version }]] = await this.connection.query('SELECT VERSION() AS version');
    return `${version.includes('MariaDB') ? 'MariaDB' : 'MySQL'} ${/^\d+\.\d+/.exec(version)[0]}`;
  }

  /** One line with the version and the settings that affect writing. */
  async describe() {
    const [[row]] = await this.connection.query(
      `SELECT VERSION() AS version, @@innodb_flush_log_at_trx_commit AS flush, @@log_bin AS log_bin,
        @@innodb_buffer_pool_size / 1048576 AS pool`,
    );
    const settings = `innodb_flush_log_at_trx_commit ${row.flush}, log_bin ${row.log_bin}`;
    return `Server ${row.version}, ${settings}, buffer pool ${Math.round(row.pool)} MiB`;
  }
}
