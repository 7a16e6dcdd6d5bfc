// Ten thousand customers that poll one replica, faster than life: what that takes, and what is full first.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { runCli } from './command.mjs';
import { writeFile, writeFiles } from './data-files.mjs';
import { DELIVERY_SECONDS } from './fleet/cadence.mjs';
import { measureCosts } from './fleet/costs.mjs';
import { customersTable } from './fleet/customers.mjs';
import { reportCosts, reportFleet } from './fleet/report.mjs';
import { giveKeys } from './keys.mjs';
import { cpuOf, forgetPeak, peakOf } from './process-usage.mjs';
import { startService } from './running-service.mjs';
import { withServer } from './server.mjs';
import { writeDelivery } from './stock-delivery.mjs';
import { startTasks } from './task-process.mjs';

const CUSTOMERS = 10_000;
/** Simulated seconds in a second. */
const SPEED = 8;
const file = (path) => join(import.meta.dirname, path);

/** @param {{ quick: boolean }} options */
export async function measureFleet({ quick }) {
  const folder = mkdtempSync(join(tmpdir(), 'customer-data-bench-'));
  try {
    await withServer((server) =>
      server.withDatabase(async (url) => {
        await load(url, folder);
        const service = await startService(url);
        const processes = ['http-client-process.mjs', 'fleet/polling-process.mjs'].map((path) =>
          startTasks(file(path)),
        );
        try {
          await simulate(
            { server, url, service, folder, client: processes[0], fleet: processes[1] },
            quick ? 900 : 3_600,
          );
        } finally {
          for (const process of [...processes, service]) await process.stop();
        }
      }),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function load(url, folder) {
  await writeFiles('M', join(folder, 'M'));
  await writeFile(customersTable(CUSTOMERS), join(folder, 'customers'));
  await runCli(url, 'import', join(folder, 'M'));
  await runCli(url, 'import', join(folder, 'customers'));
  await giveKeys(url);
}

/** @param simulated seconds */
async function simulate({ server, url, service, folder, client, fleet }, simulated) {
  const databasePid = await server.pid();
  const costs = await measureCosts(service, client, databasePid);
  reportCosts(costs);
  await fleet.ask('prepare', { url: service.url, count: CUSTOMERS });
  const seconds = simulated / SPEED;
  const pids = { service: service.pid, database: databasePid };
  const before = Object.values(pids).map(cpuOf);
  forgetPeak(service.pid);
  const deliveries = deliver(url, folder, seconds);
  const calls = await fleet.ask('poll', { speed: SPEED, seconds });
  const [cpu, databaseCpu] = Object.values(pids).map((pid, index) => (cpuOf(pid) - before[index]) / seconds);
  const peak = peakOf(service.pid);
  const found = { calls, cpu, databaseCpu, peak, deliveries: await deliveries };
  reportFleet({ customers: CUSTOMERS, speed: SPEED, seconds, ...found });
}

/** Imports a delivery of stock now and then, the first after half the usual time. */
async function deliver(url, folder, seconds) {
  const every = DELIVERY_SECONDS / SPEED;
  const times = [];
  for (let due = every / 2; due < seconds; due += every) {
    await writeDelivery('M', 900_000 + times.length, join(folder, 'delivery'));
    await sleep((times.length ? every : every / 2) * 1000);
    const run = await runCli(url, 'import', join(folder, 'delivery'));
    times.push(run.seconds);
  }
  return times;
}
