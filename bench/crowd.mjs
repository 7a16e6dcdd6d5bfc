// Hostile clients: how ten customers that read nothing affect another customer.
import mysql from 'mysql2/promise';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { runCli } from './command.mjs';
import { writeFile, writeFiles } from './data-files.mjs';
import { dataSet } from './data-set.mjs';
import { issueKeys } from './keys.mjs';
import { peakOf } from './process-usage.mjs';
import { DOWNLOADS_EACH, failuresOf, latestFirstByte, warmUp } from './responses/many-clients.mjs';
import { median, report, reportRows } from './report.mjs';
import { startService } from './running-service.mjs';
import { withServer } from './server.mjs';
import { startTasks } from './task-process.mjs';

const CLIENT = join(import.meta.dirname, 'http-client-process.mjs');
const HOLDERS = Array.from({ length: 10 }, (_, index) => `HOLDER-${index + 1}`);
/** Bytes per second that a client reads: slightly more than DOWNLOAD_MIN_BYTES_PER_SECOND, as TCP counts them. */
const TRICKLE = 1_200;

/** The settings of the service, and the aim for the first byte of `/stock` in seconds. */
const SETUPS = {
  'default settings': { settings: {}, most: 2 },
  'a spool of 64 MiB': { settings: { SPOOL_MEGABYTES: '64', RESPONSE_CACHE_MEGABYTES: '0' }, most: 2 },
  'no spool': { settings: { SPOOL_MEGABYTES: '0', RESPONSE_CACHE_MEGABYTES: '0' }, most: 7 },
  'a folder that cannot be written': { settings: { SPOOL_FOLDER: '/proc', RESPONSE_CACHE_MEGABYTES: '0' }, most: 7 },
};

/** @param {{ quick: boolean, folder: string }} options */
export async function measureCrowd({ quick, folder }) {
  const seconds = quick ? 20 : 120;
  await withServer((server) =>
    server.withDatabase(async (url) => {
      await load(url, folder);
      for (const [name, setup] of Object.entries(SETUPS)) await measureHostile(url, name, setup, seconds);
    }),
  );
}

async function load(url, folder) {
  await writeFiles('M', join(folder, 'M'));
  await runCli(url, 'import', join(folder, 'M'));
  const customers = dataSet('M').find(({ name }) => name === 'customers');
  const [customer] = customers.rows();
  const holders = HOLDERS.map((CustomerCode) => ({ ...customer, CustomerCode }));
  await writeFile({ ...customers, rows: () => holders }, join(folder, 'further'));
  await runCli(url, 'import', join(folder, 'further'));
  await issueKeys(url);
}

/**
 * Ten customers hold five downloads each. They read nothing, or just fast enough. Meanwhile another customer polls
 * `/stock`.
 */
async function measureHostile(url, name, { settings, most }, seconds) {
  await withService(url, settings, async ({ service, client, crowd }) => {
    const before = await warmUp(service, crowd);
    const calls = await holdersOf(service, { seconds });
    const holding = calls.map((call, index) => crowd.ask('hold', { ...call, bytesPerSecond: index % 2 ? TRICKLE : 0 }));
    await sleep(2000);
    const stock = { url: `${service.url}/stock`, headers: await service.token('BENCH-B') };
    const probes = client.ask('atIntervals', { ...stock, milliseconds: 1000, seconds: seconds - 4 });
    await sleep(1000);
    const alteration = await alterProducts(url);
    const responses = await probes;
    await Promise.all(holding);
    const growth = (peakOf(service.pid) - before) / 2 ** 20;
    report(`${name}: /stock other than 200`, failuresOf(responses), { most: 0 });
    report(`${name}: latest first byte of /stock, s`, latestFirstByte(responses), { most });
    report(`${name}: growth of RSS, MiB`, growth, { most: 128 });
    report(`${name}: a migration altered products after, s`, alteration, { most: seconds });
    reportRows({
      [name]: {
        requests: responses.length,
        'median first byte, s': median(responses.map(({ firstByte }) => firstByte)),
      },
    });
  });
}

async function withService(url, settings, work) {
  const service = await startService(url, settings);
  const [client, crowd] = [startTasks(CLIENT), startTasks(CLIENT)];
  try {
    await work({ service, client, crowd });
  } finally {
    for (const one of [client, crowd, service]) await one.stop();
  }
}

async function holdersOf(service, options) {
  const headers = await Promise.all(HOLDERS.map((code) => service.token(code)));
  return headers.flatMap((one) =>
    Array.from({ length: DOWNLOADS_EACH }, () => ({ url: `${service.url}/products`, headers: one, ...options })),
  );
}

/** Adds a column to `products` as a migration does, and drops it. @returns {Promise<number>} seconds */
async function alterProducts(url) {
  const { inShortAttempts } = await import('../src/database/migrations/short-attempts.ts');
  const connection = await mysql.createConnection(url);
  const query = (sql) =>
    connection.query(sql).catch((error) => Promise.reject(Object.assign(error, { driverError: error })));
  const start = performance.now();
  try {
    await inShortAttempts({ query }, addAndDropColumn, () => undefined);
    return (performance.now() - start) / 1000;
  } finally {
    await connection.end();
  }
}

async function addAndDropColumn(runner) {
  await runner.query('ALTER TABLE products ADD COLUMN Benchmark INT NULL');
  await runner.query('ALTER TABLE products DROP COLUMN Benchmark');
}
