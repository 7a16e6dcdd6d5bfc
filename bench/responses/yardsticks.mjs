// Starts the process with the yardsticks.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { killAtExit } from '../at-exit.mjs';

/** @returns {Promise<{ url: string, nestUrl: string, pid: number, stop: () => Promise<void> }>} */
export async function startYardsticks(databaseUrl) {
  const env = { PATH: process.env.PATH, NODE_ENV: 'production', DATABASE_URL: databaseUrl };
  const child = killAtExit(fork(join(import.meta.dirname, 'yardstick-process.mjs'), { env }));
  const [{ url, nestUrl }] = await once(child, 'message');
  const stop = async () => {
    child.kill();
    await once(child, 'exit');
  };
  return { url, nestUrl, pid: child.pid, stop };
}
