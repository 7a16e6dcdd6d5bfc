// P8: the cost of a 304 compared with Express that sends one statement, at any size of the full response.
import { inRounds, ratioOf, rowOf, sample } from '../sample.mjs';
import { startYardsticks } from './yardsticks.mjs';

const PATHS = ['products', 'stock', 'prices'];
/** After this number of requests, V8 has compiled most of the code that they use. Services are rarely younger. */
const WARM_UP = 3000;

/**
 * Measures the large data set, where a full response takes long.
 * @returns {Promise<{ rows: object, aims: object[] }>}
 */
export async function measureUnchanged({ server, large, client }, { rounds }) {
  const { url, pid, token } = large.service;
  const headers = await token('BENCH-A');
  const database = await server.pid();
  const whole = Object.fromEntries(PATHS.map((path) => [path, { url: `${url}/${path}`, pid, headers }]));
  const yardsticks = await startYardsticks(large.url);
  try {
    const repeated = { ...(await unchangedCalls(whole, client, database)), oneQuery: oneQueryCall(yardsticks) };
    await warmUp(client, database, repeated);
    const { oneQuery, ...samples } = await inRounds(rounds, client, database, { ...whole, ...repeated });
    const rows = Object.entries(samples).map(([name, found]) => [labelOf(name, large.size), rowOf(found)]);
    return { rows: Object.fromEntries(rows), aims: unchangedAims(large.size, { oneQuery, ...samples }) };
  } finally {
    await yardsticks.stop();
  }
}

/** An Express handler that runs one statement. A 304 that checks the database cannot cost less. */
export function oneQueryCall({ url, pid }) {
  return { url: `${url}/one-query`, pid, status: 204, count: 100 };
}

/** The calls with the validators of their responses. @returns {Promise<Record<string, object>>} key: path and `304` */
export async function unchangedCalls(calls, client, database) {
  const unchanged = {};
  for (const path of PATHS) {
    const { etag } = await sample(client, database, calls[path]);
    const headers = { ...calls[path].headers, 'if-none-match': etag };
    unchanged[`${path}304`] = { ...calls[path], headers, status: 304, count: 100 };
  }
  return unchanged;
}

/** Sends {@link WARM_UP} requests to the service and to the yardstick. The three paths use the same code. */
export async function warmUp(client, database, calls) {
  for (const path of PATHS) await sample(client, database, { ...calls[`${path}304`], count: WARM_UP / PATHS.length });
  await sample(client, database, { ...calls.oneQuery, count: WARM_UP });
}

export function unchangedAims(size, samples) {
  return PATHS.map((path) => ({
    aim: 'P8',
    what: `304 of \`/${path}\` of ${size} / Express with \`SELECT 1\``,
    row: `GET /${path}, 304`,
    figure: ratioOf(samples[`${path}304`], samples.oneQuery),
    most: 1.6,
  }));
}

const labelOf = (name, size) => `GET /${name.replace('304', '')} of ${size}${name.endsWith('304') ? ', 304' : ''}`;
