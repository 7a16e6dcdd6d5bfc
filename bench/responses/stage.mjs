// The setup that the sections share: databases with data sets, a service on each, and clients.
import { join } from 'node:path';
import { runCli } from '../command.mjs';
import { writeFile, writeFiles } from '../data-files.mjs';
import { dataSet } from '../data-set.mjs';
import { issueKeys } from '../keys.mjs';
import { startService } from '../running-service.mjs';
import { startTasks } from '../task-process.mjs';

/** Further customers. The slow ones have EUR-A. Only the large data set has the quick one, with the SKUs of M. */
export const SLOW = Array.from({ length: 10 }, (_, index) => `SLOW-${index + 1}`);
export const QUICK = 'QUICK';
const SMALL_LIST = 'EUR-M';

export const UNCACHED = { RESPONSE_CACHE_MEGABYTES: '0' };

const CLIENT = join(import.meta.dirname, '../http-client-process.mjs');

/**
 * Loads M and a large data set, each into a database of its own.
 * @param {(dataSets: { m: object, large: object, folder: string }) => Promise<void>} work a data set has `url` and `size`
 */
export async function withDataSets(server, size, folder, work) {
  await server.withDatabase((mUrl) =>
    server.withDatabase(async (largeUrl) => {
      await load(mUrl, 'M', join(folder, 'M'));
      await load(largeUrl, size, join(folder, size));
      await work({ m: { url: mUrl, size: 'M' }, large: { url: largeUrl, size }, folder });
    }),
  );
}

/**
 * Runs `work` with services on the data sets.
 * @param {(stage: { server, m, large, client, crowd, folder }) => Promise<void>} work `client` sends the measured
 *   requests, `crowd` the concurrent ones. `m` and `large` have `url`, `service` and `size`. Their services have no cache
 *   of responses. `m.cached` is a service with the cache.
 */
export async function onStage(server, { m, large, folder }, work) {
  const stops = [];
  const started = async (process) => {
    stops.push(() => process.stop());
    return process;
  };
  const serve = async ({ url }, settings) => started(await startService(url, settings));
  try {
    await work({
      server,
      m: { ...m, service: await serve(m, UNCACHED), cached: await serve(m, {}) },
      large: { ...large, service: await serve(large, UNCACHED) },
      client: await started(startTasks(CLIENT)),
      crowd: await started(startTasks(CLIENT)),
      folder,
    });
  } finally {
    for (const stop of stops) await stop();
  }
}

async function load(url, size, folder) {
  const start = performance.now();
  await writeFiles(size, folder);
  await runCli(url, 'import', folder);
  await runCli(url, 'import', await furtherCustomers(size, join(folder, 'further')));
  await issueKeys(url);
  console.log(`Data set ${size} is loaded: ${((performance.now() - start) / 1000).toFixed(1)} s`);
}

/** Writes the files of the customers that only this benchmark has. @returns the folder */
async function furtherCustomers(size, folder) {
  const tables = Object.fromEntries(dataSet('M').map((table) => [table.name, table]));
  const [list] = tables.price_lists.rows();
  const [customer] = tables.customers.rows();
  const slow = SLOW.map((CustomerCode) => ({ ...customer, CustomerCode }));
  await writeFile({ ...tables.customers, rows: () => slow }, folder);
  if (size === 'M') return folder;
  const quick = { ...customer, CustomerCode: QUICK, PriceListCode: SMALL_LIST };
  await writeFile({ ...tables.price_lists, rows: () => [{ ...list, PriceListCode: SMALL_LIST }] }, folder);
  await writeFile({ ...tables.prices, rows: () => smallList(tables.prices.rows()) }, folder);
  await writeFile({ ...tables.customers, rows: () => [...slow, quick] }, folder);
  return folder;
}

function* smallList(prices) {
  for (const price of prices) if (price.PriceListCode === 'EUR-A') yield { ...price, PriceListCode: SMALL_LIST };
}
