// Starts the service in its own process, as a user does.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { killAtExit } from './at-exit.mjs';
import { KEY } from './keys.mjs';
import { POD_HEAP } from './pod-heap.mjs';

const ROOT = join(import.meta.dirname, '..');

/**
 * Starts the service on a database, with the heap of a pod. The settings are the defaults, but the quota of anonymous
 * callers is unlimited, and the service stops without a drain.
 * @param {object} [settings] further settings
 * @param {string} [folder] a built checkout of the project; default: this one
 * @returns {Promise<{ url: string, managementUrl: string, pid: number,
 *   token: (code: string, key?: string) => Promise<object>, stop: () => Promise<void> }>} `token` returns the headers of
 *   a customer's requests
 */
export async function startService(databaseUrl, settings = {}, folder = ROOT) {
  const env = {
    PATH: process.env.PATH,
    NODE_ENV: 'production',
    PORT: '0',
    MANAGEMENT_PORT: '0',
    DATABASE_URL: databaseUrl,
    JWT_SECRET: 'the-secret-of-a-benchmark-is-no-secret',
    REQUESTS_PER_MINUTE: '1000000000',
    REQUESTS_PER_HOUR: '1000000000',
    DRAIN_SECONDS: '0',
    ...settings,
  };
  const program = [...nodeOptions(folder), join(folder, 'dist/main.js')];
  const child = killAtExit(spawn(process.execPath, program, { env, stdio: ['ignore', 'pipe', 'pipe'] }));
  showFirst(child.stderr, 3);
  const [url, managementUrl] = (await portsOf(child)).map((port) => `http://127.0.0.1:${port}`);
  const stop = async () => {
    child.kill();
    await once(child, 'exit');
  };
  await healthy(url);
  return { url, managementUrl, pid: child.pid, token: (...login) => tokenOf(url, ...login), stop };
}

/**
 * The Node options of `npm start`, and the heap of a pod.
 * To profile: BENCH_NODE_OPTIONS='--cpu-prof --cpu-prof-dir=profiles'
 */
function nodeOptions(folder) {
  const { scripts } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const [, options = ''] = /\bnode (.*)dist\/main\.js/.exec(scripts.start) ?? [];
  return `${options} ${POD_HEAP} ${process.env.BENCH_NODE_OPTIONS ?? ''}`.split(' ').filter(Boolean);
}

/** Prints only the first lines, because an overloaded service logs a line for each refused request. */
function showFirst(stream, most) {
  let count = 0;
  createInterface(stream).on('line', (line) => {
    if (count++ < most) console.error(line.slice(0, 300));
  });
}

async function portsOf(child) {
  for await (const line of createInterface(child.stdout)) {
    const ports = /Listening on port (\d+) \(public\) and (\d+)/.exec(line)?.slice(1);
    if (!ports) continue;
    child.stdout.resume();
    return ports;
  }
  throw new Error('The service did not start');
}

async function healthy(url) {
  for (let attempt = 0; attempt < 3000; attempt++) {
    if ((await fetch(`${url}/health`)).ok) return;
    await sleep(10);
  }
  throw new Error('The service was not healthy within 30 s');
}

async function tokenOf(url, code, key = KEY) {
  const body = new URLSearchParams({ grant_type: 'client_credentials', client_id: code, client_secret: key });
  const response = await fetch(`${url}/auth/token`, { method: 'POST', body });
  if (!response.ok) throw new Error(`No token for ${code}: ${await response.text()}`);
  return { authorization: `Bearer ${(await response.json()).access_token}` };
}
