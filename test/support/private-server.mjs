import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import mysql from 'mysql2/promise';
import { freePort } from './free-port.mjs';

// If the run is interrupted, no test can stop the server. The exit handler does.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(1));

/**
 * Starts a private server in a temporary folder, with its default settings.
 * @param found its program, from findServer()
 * @param {string[]} options further options of the program, from its first start on
 * @returns {Promise<PrivateServer>}
 */
export async function startPrivateServer({ program, mariadb }, options = []) {
  const server = new PrivateServer(program, options, await freePort());
  if (mariadb) {
    const args = [...server.options, '--auth-root-authentication-method=normal', '--skip-test-db'];
    execFileSync('mariadb-install-db', args, { stdio: 'ignore' });
  } else {
    execFileSync(program, [...server.options, '--initialize-insecure'], { stdio: 'ignore' });
  }
  await server.start();
  return server;
}

class PrivateServer {
  #folder = mkdtempSync(join(tmpdir(), 'customer-data-server-'));
  #program;
  #options;
  #port;
  #child;

  constructor(program, options, port) {
    this.#program = program;
    this.#options = options;
    this.#port = port;
    process.once('exit', () => this.#destroy());
  }

  get url() {
    return `mysql://root@127.0.0.1:${this.#port}/mysql`;
  }

  get options() {
    // Not --no-defaults: MySQL would then also ignore the settings of SET PERSIST.
    return ['--defaults-file=/dev/null', `--user=${userInfo().username}`, `--datadir=${this.#data}`, ...this.#options];
  }

  async start() {
    const place = [`--socket=${join(this.#folder, 'socket')}`, `--port=${this.#port}`, '--bind-address=127.0.0.1'];
    this.#child = spawn(this.#program, [...this.options, ...place], { stdio: 'ignore' });
    await untilReachable(this.url, this.#program);
  }

  async kill(signal = 'SIGKILL') {
    const ended = once(this.#child, 'exit');
    this.#child.kill(signal);
    await ended;
  }

  async copy() {
    const other = new PrivateServer(this.#program, this.#options, await freePort());
    await this.kill('SIGTERM');
    cpSync(this.#data, other.#data, { recursive: true });
    // Without this file, MySQL creates a new server identity. With equal identities, replication fails.
    rmSync(join(other.#data, 'auto.cnf'), { force: true });
    await Promise.all([this.start(), other.start()]);
    return other;
  }

  async stop() {
    await this.kill('SIGTERM');
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** For the end of the process, which cannot wait for an orderly stop. */
  #destroy() {
    this.#child?.kill('SIGKILL');
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 5 });
  }

  get #data() {
    return join(this.#folder, 'data');
  }
}

async function untilReachable(url, program) {
  for (let attempt = 0; attempt < 300; attempt++) {
    const connection = await mysql.createConnection(url).catch(() => undefined);
    if (connection) return connection.end();
    await sleep(100);
  }
  throw new Error(`${program} did not start within 30 s`);
}
