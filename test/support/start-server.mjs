import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import mysql from 'mysql2/promise';
import { findServer } from './find-server.mjs';

/** Makes TEST_MYSQL_URL name a server for this run: the given one, or a private one in a temporary folder. */
export default async function startServer() {
  const found = findServer();
  const url = found.url ?? (await startPrivate(found));
  process.env.TEST_MYSQL_URL = url;
  const connection = await mysql.createConnection(url);
  const [[{ version }]] = await connection.query('SELECT VERSION() AS version');
  await connection.end();
  process.stderr.write(`The suite "mysql" runs on ${version}.\n`);
}

async function startPrivate({ program, mariadb }) {
  const folder = mkdtempSync(join(tmpdir(), 'customer-data-server-'));
  const data = join(folder, 'data');
  const user = `--user=${userInfo().username}`;
  if (mariadb) {
    const args = [
      '--no-defaults',
      user,
      `--datadir=${data}`,
      '--auth-root-authentication-method=normal',
      '--skip-test-db',
    ];
    execFileSync('mariadb-install-db', args, { stdio: 'ignore' });
  } else {
    execFileSync(program, ['--no-defaults', user, `--datadir=${data}`, '--initialize-insecure'], { stdio: 'ignore' });
  }
  const port = await freePort();
  const child = spawn(
    program,
    [
      '--no-defaults',
      user,
      `--datadir=${data}`,
      `--socket=${join(folder, 'socket')}`,
      `--port=${port}`,
      '--bind-address=127.0.0.1',
      '--innodb-flush-log-at-trx-commit=0',
      '--max-connections=300',
    ],
    { stdio: 'ignore' },
  );
  globalThis.privateServer = { child, folder };
  // The teardown does not run where the run is interrupted.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
    process.once(signal, () => {
      child.kill();
      process.exit(1);
    });
  const url = `mysql://root@127.0.0.1:${port}/mysql`;
  for (let attempt = 0; attempt < 300; attempt++) {
    const connection = await mysql.createConnection(url).catch(() => undefined);
    if (connection) return connection.end().then(() => url);
    await sleep(100);
  }
  throw new Error(`${program} did not start within 30 s`);
}

/** A port that nothing listens on now. */
function freePort() {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}
