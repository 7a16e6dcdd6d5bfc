// P11: the cost of /stock/changes compared with the full /stock.
import { join } from 'node:path';
import { runCli } from './command.mjs';
import { writeFile, writeFiles } from './data-files.mjs';
import { dataSet } from './data-set.mjs';
import { issueKeys } from './keys.mjs';
import { warnOfLoad } from './machine.mjs';
import { report, reportRows } from './report.mjs';
import { startService } from './running-service.mjs';
import { inRounds, ratioOf, rowOf, sample } from './sample.mjs';
import { withServer } from './server.mjs';
import { startTasks } from './task-process.mjs';

/** `changed`: the share of the stock that an import changes. `most`: the maximum ratio of delta to full response. */
const CASES = [
  { size: 'M', changed: 0.05, most: 0.25, rounds: 15 },
  { size: 'L', changed: 0.01, most: 0.03, rounds: 5 },
];

/** @param {{ quick: boolean, folder: string }} options */
export async function measureChanges({ quick, folder }) {
  warnOfLoad();
  const client = startTasks(join(import.meta.dirname, 'http-client-process.mjs'));
  try {
    await withServer(async (server) => {
      for (const one of quick ? CASES.slice(0, 1) : CASES)
        await server.withDatabase((url) => measureCase(one, { server, client, url, folder: join(folder, one.size) }));
    });
  } finally {
    await client.stop();
  }
}

async function measureCase({ size, changed, most, rounds }, { server, client, url, folder }) {
  await writeFiles(size, folder);
  await runCli(url, 'import', folder);
  await issueKeys(url);
  const service = await startService(url);
  try {
    const database = await server.pid();
    const headers = await service.token('BENCH-A');
    const call = { pid: service.pid, headers, url: `${service.url}/stock` };
    const { etag } = await sample(client, database, call);
    await runCli(url, 'import', await writeChanges(size, changed, join(folder, 'changes')));
    const calls = {
      whole: call,
      delta: { ...call, url: `${service.url}/stock/changes`, headers: { ...headers, 'if-none-match': etag }, count: 5 },
    };
    await inRounds(1, client, database, calls);
    const samples = await inRounds(rounds, client, database, calls);
    const labelOf = (name) => `/stock of ${size}, ${name}`;
    reportRows(Object.fromEntries(Object.entries(samples).map(([name, found]) => [labelOf(name), rowOf(found)])));
    for (const [key, unit] of [
      ['seconds', 'time'],
      ['databaseCpu', 'CPU of the database'],
      ['cpu', 'CPU of the service'],
    ])
      report(
        `P11, ${unit} of /stock/changes of ${size} with ${changed * 100} % changed, over /stock`,
        totalRatio(samples, key),
        key === 'cpu' ? undefined : { most },
      );
  } finally {
    await service.stop();
  }
}

/** CPU times have a resolution of 10 ms, so they are summed over the rounds. */
function totalRatio({ whole, delta }, key) {
  if (key === 'seconds') return ratioOf(delta, whole);
  const sum = (samples) => samples.reduce((total, one) => total + one[key], 0);
  return sum(delta) / sum(whole);
}

/** Writes a stock.csv with the changed rows. @returns its folder */
async function writeChanges(size, share, folder) {
  const stock = dataSet(size).find(({ name }) => name === 'stock');
  const every = Math.round(1 / share);
  function* rows() {
    let position = 0;
    for (const entry of stock.rows()) if (position++ % every === 0) yield { ...entry, AvailableQTY: '4711' };
  }
  await writeFile({ ...stock, rows }, folder);
  return folder;
}
