// npm run bench: figures taken in one run on one machine, each beside its yardstick; only ratios are comparable.
import autocannon from 'autocannon';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROUNDS = process.argv.includes('--quick') ? 3 : 7;
const SECONDS = process.argv.includes('--quick') ? 2 : 5;
/** What metering may cost of the requests per second. */
const AIM = 0.85;

const folder = mkdtempSync(join(tmpdir(), 'customer-data-bench-'));
const services = await Promise.all([start({ UNMETERED: '1' }), start({})]);
try {
  const rates = services.map(() => []);
  await Promise.all(services.map(({ url }) => load(url, 1)));
  for (let round = 0; round < ROUNDS; round++)
    for (const [index, { url }] of services.entries()) rates[index].push(await load(url, SECONDS));
  const [unmetered, metered] = rates.map(median);
  const ratio = median(rates[1].map((rate, round) => rate / rates[0][round]));
  console.table({
    'GET /api/version, not metered': { 'requests/s': Math.round(unmetered) },
    'GET /api/version, metered in the process': { 'requests/s': Math.round(metered) },
  });
  console.log(`Metered over not metered, median of ${ROUNDS} interleaved pairs: ${ratio.toFixed(3)}`);
  console.log(`Aim: at least ${AIM}: ${ratio >= AIM ? 'met' : 'MISSED'}`);
} finally {
  for (const { child } of services) child.kill();
  rmSync(folder, { recursive: true, force: true });
}

async function start(environment) {
  const child = fork(join(import.meta.dirname, 'service.mjs'), {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: {
      PATH: process.env.PATH,
      PORT: '0',
      MANAGEMENT_PORT: '0',
      DATABASE_URL: `sqlite:${join(folder, `${environment.UNMETERED ?? 0}.db`)}`,
      DEMO_DATA: 'false',
      REQUESTS_PER_MINUTE: '1000000000',
      REQUESTS_PER_HOUR: '1000000000',
      ...environment,
    },
  });
  const [{ url }] = await once(child, 'message');
  return { child, url };
}

/** Requests per second over so many seconds. */
async function load(url, duration) {
  const { requests } = await autocannon({ url: `${url}/api/version`, connections: 32, duration });
  return requests.average;
}

function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}
