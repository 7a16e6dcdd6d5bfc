// Measures what requests, replicas and slow clients cost, calculates from it what fleets need, and prints the tables of
// docs/scale.md as Markdown. With --write, it replaces the tables of the page.
import { join } from 'node:path';
import { runCli } from './command.mjs';
import { writeFile, writeFiles } from './data-files.mjs';
import { customersTable } from './fleet/customers.mjs';
import { issueKeys } from './keys.mjs';
import { describeMachine } from './machine.mjs';
import { printTables, writeTables } from './page.mjs';
import { measureCosts } from './scale/costs.mjs';
import { measureReplicas } from './scale/replicas.mjs';
import { measureSlowClients } from './scale/slow-clients.mjs';
import { conditions, costTables, fleetTables, replicaTable, slowTable } from './scale/tables.mjs';
import { withServer } from './server.mjs';
import { writeDelivery } from './stock-delivery.mjs';
import { startTasks } from './task-process.mjs';

const PAGE = join(import.meta.dirname, '../docs/scale.md');
const CLIENT = join(import.meta.dirname, 'http-client-process.mjs');

/** How often each kind of request is sent, for each data set. CPU times have a resolution of 10 ms. */
const COUNTS = {
  M: { products: 20, others: 60, small: 400 },
  Q: { products: 5, others: 15, small: 200 },
  L: { products: 4, others: 10, small: 400 },
};
const SLOW = { clients: 40, bytesPerSecond: 20_000 };

/** @param {{ quick: boolean, write: boolean, load: number, folder: string }} options */
export async function measureScale({ quick, write, load, folder }) {
  const [client, crowd] = [startTasks(CLIENT), startTasks(CLIENT)];
  const costs = {};
  const found = {};
  let server;
  try {
    await withServer(async (running) => {
      server = await running.describe();
      const databasePid = await running.pid();
      for (const size of quick ? ['M', 'Q'] : ['M', 'L'])
        await running.withDatabase(async (url) => {
          await loadData(url, size, join(folder, size));
          const deliver = () => importDelivery(url, size, join(folder, 'delivery'));
          costs[size] = await measureCosts({ url, client, databasePid, deliver, counts: COUNTS[size] });
          if (size !== 'M') return;
          const times = quick ? { count: 100, idleSeconds: 5 } : { count: 400, idleSeconds: 20 };
          found.replicas = await measureReplicas({ url, client, databasePid, ...times });
          found.slow = await measureSlowClients({ databaseUrl: url, crowd, ...SLOW, seconds: quick ? 10 : 40 });
        });
    });
  } finally {
    for (const process of [client, crowd]) await process.stop();
  }
  const tables = {
    conditions: conditions(describeMachine(), load, server),
    costs: costTables(costs),
    ...fleetTables(costs),
    replicas: replicaTable(found.replicas),
    slow: slowTable(SLOW, found.slow),
  };
  printTables('scale', tables);
  if (write) await writeTables(PAGE, 'scale', tables);
}

async function loadData(url, size, folder) {
  await writeFiles(size, folder);
  await writeFile(customersTable(SLOW.clients, 1), join(folder, 'customers'));
  await runCli(url, 'import', folder);
  await runCli(url, 'import', join(folder, 'customers'));
  await issueKeys(url);
}

async function importDelivery(url, size, folder) {
  await writeDelivery(size, 900_000, folder);
  await runCli(url, 'import', folder);
}
