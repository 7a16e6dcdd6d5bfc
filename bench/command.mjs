// Runs the built CLI in its own process with the heap of a pod, as an operator does, and measures the process.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { killAtExit } from './at-exit.mjs';
import { POD_HEAP } from './pod-heap.mjs';

const USAGE = join(import.meta.dirname, 'usage.mjs');

/**
 * Runs one command of this checkout.
 * @returns {Promise<{ seconds: number, cpu: number, rss: number, output: string }>} wall and CPU time in seconds, peak
 *   RSS in bytes, standard output
 * @throws with the text of its standard error, if it fails
 */
export const runCli = cliOf(join(import.meta.dirname, '..'));

/** Runs commands of another checkout, as `runCli` does. @param folder a built checkout */
export function cliOf(folder) {
  return async (databaseUrl, ...args) => {
    const start = performance.now();
    const child = spawn(process.execPath, [POD_HEAP, '--import', USAGE, join(folder, 'dist/cli.js'), ...args], {
      env: { PATH: process.env.PATH, DATABASE_URL: databaseUrl },
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    });
    const outputs = Promise.all([child.stdout, child.stderr, child.stdio[3]].map((stream) => text(stream)));
    const [code] = await once(killAtExit(child), 'exit');
    const seconds = (performance.now() - start) / 1000;
    const [output, stderr, usage] = await outputs;
    if (code !== 0) throw new Error(`"${args.join(' ')}" failed: ${stderr.slice(0, 2000)}`);
    return { seconds, output, ...JSON.parse(usage) };
  };
}
