// The cost of metering in requests per second.
import autocannon from 'autocannon';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { killAtExit } from './at-exit.mjs';
import { median, report } from './report.mjs';

/** @param {{ quick: boolean, folder: string }} options */
export async function measureMetering({ quick, folder }) {
  const [rounds, seconds] = quick ? [3, 2] : [7, 5];
  const services = await Promise.all([start(folder, { UNMETERED: '1' }), start(folder, {})]);
  try {
    const rates = services.map(() => []);
    await Promise.all(services.map(({ url }) => load(url, 1)));
    for (let round = 0; round < rounds; round++)
      for (const [index, { url }] of services.entries()) rates[index].push(await load(url, seconds));
    const [unmetered, metered] = rates.map(median);
    console.table({
      'GET /api/version, not metered': { 'requests/s': Math.round(unmetered) },
      'GET /api/version, metered in the process': { 'requests/s': Math.round(metered) },
    });
    const ratio = median(rates[1].map((rate, round) => rate / rates[0][round]));
    report(`Metered over not metered, median of ${rounds} interleaved pairs`, ratio, { least: 0.85 });
  } finally {
    for (const { child } of services) child.kill();
  }
}

async function start(folder, environment) {
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
  const [{ url }] = await once(killAtExit(child), 'message');
  return { child, url };
}

/** Requests per second, measured for `duration` seconds. */
async function load(url, duration) {
  const { requests } = await autocannon({ url: `${url}/api/version`, connections: 32, duration });
  return requests.average;
}
