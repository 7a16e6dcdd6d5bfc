// Runs the built CLI in its own process, as an operator does, and measures the process.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

const file = (path) => join(import.meta.dirname, path);

/**
 * Runs one command.
 * @returns {Promise<{ seconds: number, cpu: number, rss: number }>} wall and CPU time in seconds, peak RSS in bytes
 * @throws with the text of its standard error, if it fails
 */
export async function runCli(databaseUrl, ...args) {
  const start = performance.now();
  const child = spawn(process.execPath, ['--import', file('usage.mjs'), file('../dist/cli.js'), ...args], {
    env: { PATH: process.env.PATH, DATABASE_URL: databaseUrl },
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
  });
  const outputs = Promise.all([text(child.stderr), text(child.stdio[3])]);
  const [code] = await once(child, 'exit');
  const seconds = (performance.now() - start) / 1000;
  const [stderr, usage] = await outputs;
  if (code !== 0) throw new Error(`"${args.join(' ')}" failed: ${stderr.slice(0, 2000)}`);
  return { seconds, ...JSON.parse(usage) };
}
