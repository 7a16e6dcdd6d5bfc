// The setup that the sections share: databases with data sets, a service on each, and clients.
import { join } from 'node:path';
import { runCli } from '../command.mjs';
import { writeFile, writeFiles } from '../data-files.mjs';
import { dataSet } from '../data-set.mjs';
import { issueKeys } from '../keys.mjs';
import { startService } from '../running-service.mjs';
import { startTasks } from '../task-process.mjs';

/** Customers of the large data set. The slow ones have EUR-A. The quick one has a price list with the SKUs of M. */
export const SLOW = Array.from({ length: 8 }, (_, index) => `SLOW-${index + 1}`);
export const QUICK = 'QUICK';
const SMALL_LIST = 'EUR-M';

const UNCACHED = { RESPONSE_CACHE_MEGABYTES: '0' };

const CLIENT = join(import.meta.dirname, '../http-client-process.mjs');

/**
 * Loads M and a large data set, each into a database of its own, and runs `work` with a service on each.
 * @param {(stage: { server, m, large, client, crowd }) => Promise<void>} work `client` sends the measured requests,
 *   `crowd` the concurrent ones. `m` and `large` have `url`, `service` and `size`. Their services have no cache of
 *   responses. `m.cached` is a service with the cache.
 */
export async function onStage(server, size, folder, work) {
  const stops = [];
  const started = async (process) => {
    stops.push(() => process.stop());
    return process;
  };
  await server.withDatabase((mUrl) =>
    server.withDatabase(async (largeUrl) => {
      try {
        await load(mUrl, 'M', join(folder, 'M'));
        await load(largeUrl, size, join(folder, size));
        const of = async (url, name) => ({
          url,
          size: name,
          service: await started(await startService(url, UNCACHED)),
        });
        const [m, large] = [await of(mUrl, 'M'), await of(largeUrl, size)];
        m.cached = await started(await startService(mUrl));
        const [client, crowd] = [await started(startTasks(CLIENT)), await started(startTasks(CLIENT))];
        await work({ server, m, large, client, crowd });
      } finally {
        for (const stop of stops) await stop();
      }
    }),
  );
}

async function load(url, size, folder) {
  const start = performance.now();
  await writeFiles(size, folder);
  await runCli(url, 'import', folder);
  if (size !== 'M') await runCli(url, 'import', await furtherCustomers(join(folder, 'further')));
  await issueKeys(url);
  console.log(`Data set ${size} is loaded: ${((performance.now() - start) / 1000).toFixed(1)} s`);
}

/** Writes the files of the customers that only the large data set has. @returns the folder */
async function furtherCustomers(folder) {
  const tables = Object.fromEntries(dataSet('M').map((table) => [table.name, table]));
  const [list] = tables.price_lists.rows();
  const [customer] = tables.customers.rows();
  const slow = SLOW.map((CustomerCode) => ({ ...customer, CustomerCode }));
  const quick = { ...customer, CustomerCode: QUICK, PriceListCode: SMALL_LIST };
  await writeFile({ ...tables.price_lists, rows: () => [{ ...list, PriceListCode: SMALL_LIST }] }, folder);
  await writeFile({ ...tables.prices, rows: () => smallList(tables.prices.rows()) }, folder);
  await writeFile({ ...tables.customers, rows: () => [...slow, quick] }, folder);
  return folder;
}

function* smallList(prices) {
  for (const price of prices) if (price.PriceListCode === 'EUR-A') yield { ...price, PriceListCode: SMALL_LIST };
}
