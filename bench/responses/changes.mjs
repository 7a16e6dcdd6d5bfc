// P11: the cost of /stock/changes compared with the full /stock.
import { join } from 'node:path';
import { runCli } from '../command.mjs';
import { writeFile } from '../data-files.mjs';
import { dataSet } from '../data-set.mjs';
import { inRounds, ratioOf, rowOf, sample } from '../sample.mjs';

/** `changed`: the share of the stock that an import changes. `most`: the maximum ratio of delta to full response. */
const CASES = { M: { changed: 0.05, most: 0.25 }, Q: { changed: 0.01 }, L: { changed: 0.01, most: 0.03 } };

/** @returns {Promise<{ rows: object, aims: object[] }>} */
export async function measureChanges(stage, { rounds }) {
  const found = [];
  for (const place of [stage.m, stage.large]) found.push(await measureCase(stage, place, rounds));
  return { rows: Object.assign({}, ...found.map(({ rows }) => rows)), aims: found.flatMap(({ aims }) => aims) };
}

async function measureCase({ server, client, folder }, { url, size, service }, rounds) {
  const { changed, most } = CASES[size];
  const database = await server.pid();
  const headers = await service.token('BENCH-A');
  const whole = { pid: service.pid, headers, url: `${service.url}/stock` };
  const { etag } = await sample(client, database, whole);
  await runCli(url, 'import', await writeChanges(size, changed, join(folder, size, 'changes')));
  const delta = { ...whole, url: `${whole.url}/changes`, headers: { ...headers, 'if-none-match': etag }, count: 5 };
  await inRounds(1, client, database, { whole, delta });
  const samples = await inRounds(size === 'M' ? rounds : rounds / 3, client, database, { whole, delta });
  const share = `${changed * 100} % changed`;
  return {
    rows: {
      [`GET /stock of ${size}, ${share}`]: rowOf(samples.whole),
      [`GET /stock/changes of ${size}, ${share}`]: rowOf(samples.delta),
    },
    aims: most ? aimsOf(`\`/stock/changes\` of ${size} with ${share} / \`/stock\``, samples, most) : [],
  };
}

function aimsOf(what, { whole, delta }, most) {
  return [
    { aim: 'P11', what: `${what}: time`, figure: ratioOf(delta, whole), most },
    { aim: 'P11', what: `${what}: CPU of the database`, figure: databaseCpu(delta) / databaseCpu(whole), most },
  ];
}

/** CPU times have a resolution of 10 ms, so they are summed over the rounds. */
const databaseCpu = (samples) => samples.reduce((total, one) => total + one.databaseCpu, 0);

/** Writes a stock.csv with the changed rows. Their quantity differs in each process. @returns its folder */
async function writeChanges(size, share, folder) {
  const stock = dataSet(size).find(({ name }) => name === 'stock');
  const every = Math.round(1 / share);
  function* rows() {
    let position = 0;
    for (const entry of stock.rows())
      if (position++ % every === 0) yield { ...entry, AvailableQTY: String(1000 + process.pid) };
  }
  await writeFile({ ...stock, rows }, folder);
  return folder;
}
