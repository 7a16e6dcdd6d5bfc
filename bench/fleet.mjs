// Simulates ten thousand customers that poll one replica, in accelerated time, and measures the load.
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { runCli } from './command.mjs';
import { writeFile, writeFiles } from './data-files.mjs';
import { DELIVERY_SECONDS } from './fleet/cadence.mjs';
import { measureCosts } from './fleet/costs.mjs';
import { customersTable } from './fleet/customers.mjs';
import { reportCosts, reportFleet } from './fleet/report.mjs';
import { issueKeys } from './keys.mjs';
import { cpuOf, resetPeak, peakOf } from './process-usage.mjs';
import { metric } from './metric.mjs';
import { report } from './report.mjs';
import { startService } from './running-service.mjs';
import { withServer } from './server.mjs';
import { writeDelivery } from './stock-delivery.mjs';
import { startTasks } from './task-process.mjs';

const CUSTOMERS = 10_000;
/** Simulated seconds per real second. */
const SPEED = 4;
const file = (path) => join(import.meta.dirname, path);

/**
 * @param {{ quick: boolean, terms: number, changes: boolean, folder: string }} options `changes`: customers poll
 *   /stock/changes
 */
export async function measureFleet({ quick, terms, changes, folder }) {
  await withServer((server) =>
    server.withDatabase(async (url) => {
      await load(url, folder, terms);
      const service = await startService(url);
      const processes = ['http-client-process.mjs', 'fleet/polling-process.mjs'].map((path) => startTasks(file(path)));
      try {
        await simulate(
          {
            server,
            url,
            service,
            terms,
            stockPath: changes ? 'stock/changes' : 'stock',
            folder,
            client: processes[0],
            fleet: processes[1],
          },
          quick ? DELIVERY_SECONDS / 4 : DELIVERY_SECONDS,
        );
      } finally {
        for (const process of [...processes, service]) await process.stop();
      }
    }),
  );
}

async function load(url, folder, terms) {
  await writeFiles('M', join(folder, 'M'));
  await writeFile(customersTable(CUSTOMERS, terms), join(folder, 'customers'));
  await runCli(url, 'import', join(folder, 'M'));
  await runCli(url, 'import', join(folder, 'customers'));
  await issueKeys(url);
}

/**
 * Starts right after a delivery of stock, so every customer still has the previous stock.
 * @param simulated simulated seconds
 */
async function simulate({ server, url, service, terms, stockPath, folder, client, fleet }, simulated) {
  const databasePid = await server.pid();
  const costs = await measureCosts(service, client, databasePid, () => importDelivery(url, folder, 800_000));
  reportCosts(costs);
  await fleet.ask('prepare', { url: service.url, count: CUSTOMERS, terms, stockPath });
  const seconds = simulated / SPEED;
  const pids = { service: service.pid, database: databasePid };
  const before = Object.values(pids).map(cpuOf);
  resetPeak(service.pid);
  const deliveries = deliver(url, folder, seconds);
  const calls = await fleet.ask('poll', { speed: SPEED, seconds });
  const [cpu, databaseCpu] = Object.values(pids).map((pid, index) => (cpuOf(pid) - before[index]) / seconds);
  const peak = peakOf(service.pid);
  const found = { calls, cpu, databaseCpu, peak, deliveries: await deliveries };
  report('Different terms', terms);
  console.log(`Customers poll /${stockPath}.`);
  for (const name of ['hits', 'misses', 'evictions'])
    report(`Cached responses: ${name}`, await metric(service, `response_cache_${name}_total`));
  reportFleet({ customers: CUSTOMERS, speed: SPEED, seconds, ...found });
}

/** Imports a delivery of stock now and whenever one is due. @returns the seconds of each import */
async function deliver(url, folder, seconds) {
  const times = [];
  for (let due = 0; due < seconds; due += DELIVERY_SECONDS / SPEED) {
    if (due) await sleep((DELIVERY_SECONDS / SPEED) * 1000);
    times.push(await importDelivery(url, folder, 900_000 + times.length));
  }
  return times;
}

/** @param quantity the quantity of the changed entries @returns the seconds of the import */
async function importDelivery(url, folder, quantity) {
  await writeDelivery('M', quantity, join(folder, 'delivery'));
  const { seconds } = await runCli(url, 'import', join(folder, 'delivery'));
  return seconds;
}
