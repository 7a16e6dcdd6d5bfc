// P14: a cached `/products` of M, compared with the same bytes in a prebuilt buffer.
import { inRounds, ratioOf, rowOf, sample } from '../sample.mjs';
import { catalogueQueries } from './statements.mjs';
import { startYardsticks } from './yardsticks.mjs';

/** The aims: the maximum ratio of the wall time to that of a prebuilt buffer. */
const MOST = { identity: 1.5, gzip: 4, br: 4 };

/** @returns {Promise<{ rows: object, aims: object[] }>} */
export async function measureCached({ server, m, client }, { rounds }) {
  const database = await server.pid();
  const { url, pid, token } = m.cached;
  const headers = await token('BENCH-A');
  const yardsticks = await startYardsticks(m.url);
  try {
    const calls = {};
    for (const encoding of Object.keys(MOST)) {
      const call = { url: `${url}/products`, pid, headers: { ...headers, 'accept-encoding': encoding }, count: 5 };
      const { bytes } = await sample(client, database, call);
      calls[encoding] = call;
      calls[`${encoding} buffer`] = { url: `${yardsticks.url}/buffer/${bytes}`, pid: yardsticks.pid, count: 5 };
    }
    await inRounds(1, client, database, calls);
    const samples = await inRounds(rounds, client, database, calls);
    const repeated = Object.keys(MOST).map((encoding) => calls[encoding]);
    const queries = await catalogueQueries(server, m.url, async () => {
      for (const call of repeated) await client.ask('get', call);
    });
    const rows = Object.entries(samples).map(([name, found]) => [`/products again, ${name}`, rowOf(found)]);
    return { rows: Object.fromEntries(rows), aims: [...aimsOf(samples), ...aimOf(queries)] };
  } finally {
    await yardsticks.stop();
  }
}

function aimsOf(samples) {
  return Object.entries(MOST).map(([encoding, most]) => ({
    aim: 'P14',
    what: `\`/products\` again, ${encoding} / the same bytes from memory`,
    row: `/products again, ${encoding}`,
    figure: ratioOf(samples[encoding], samples[`${encoding} buffer`]),
    most,
  }));
}

const aimOf = (queries) =>
  queries === undefined
    ? []
    : [{ aim: 'P14', what: 'queries of catalogue tables for these', figure: queries, most: 0 }];
