import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import mysql from 'mysql2/promise';

/**
 * Starts a server of its own in a temporary folder, with the settings that it comes with.
 * @param found its program, as findServer() tells it
 * @param {string[]} options further options of the program, from its very first start on
 * @returns {Promise<{ url: string, stop: () => Promise<void> }>} `stop` also removes the folder
 */
export async function startPrivateServer({ program, mariadb }, options = []) {
  const folder = mkdtempSync(join(tmpdir(), 'customer-data-server-'));
  const data = `--datadir=${join(folder, 'data')}`;
  const common = ['--no-defaults', `--user=${userInfo().username}`, data, ...options];
  if (mariadb) {
    const args = [...common, '--auth-root-authentication-method=normal', '--skip-test-db'];
    execFileSync('mariadb-install-db', args, { stdio: 'ignore' });
  } else {
    execFileSync(program, [...common, '--initialize-insecure'], { stdio: 'ignore' });
  }
  const port = await freePort();
  const place = [`--socket=${join(folder, 'socket')}`, `--port=${port}`, '--bind-address=127.0.0.1'];
  const child = spawn(program, [...common, ...place], { stdio: 'ignore' });
  // Whoever started it cannot stop it where the run is interrupted.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
    process.once(signal, () => {
      child.kill();
      process.exit(1);
    });
  const url = `mysql://root@127.0.0.1:${port}/mysql`;
  await answering(url, program);
  return { url, stop: () => stop(child, folder) };
}

async function answering(url, program) {
  for (let attempt = 0; attempt < 300; attempt++) {
    const connection = await mysql.createConnection(url).catch(() => undefined);
    if (connection) return connection.end();
    await sleep(100);
  }
  throw new Error(`${program} did not start within 30 s`);
}

async function stop(child, folder) {
  child.kill();
  await once(child, 'exit');
  rmSync(folder, { recursive: true, force: true });
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
