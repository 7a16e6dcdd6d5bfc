// The built CLI, run as an operator runs it, in a process of its own that is measured.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

const file = (path) => join(import.meta.dirname, path);

/**
 * Runs one command.
 * @returns {Promise<{ seconds: number, cpu: number, rss: number }>} wall and CPU time in seconds, peak RSS in bytes
 * @throws with what it complained of, if it fails
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
  const [problem, usage] = await outputs;
  if (code !== 0) throw new Error(`"${args.join(' ')}" failed: ${problem.slice(0, 2000)}`);
  return { seconds, ...JSON.parse(usage) };
}
