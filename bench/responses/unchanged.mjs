// P8: the cost of a 304 compared with Express that sends one statement, at any size of the full response.
import { inRounds, ratioOf, rowOf, sample } from '../sample.mjs';
import { startYardsticks } from './yardsticks.mjs';

const PATHS = ['products', 'stock', 'prices'];
/** After this number of requests, V8 has optimized the code that they use. Services are rarely younger. */
const WARM_UP = 12_000;
/**
 * One sample. After a process was idle, the kernel takes 100 ms to choose cores for it and for the database. Until then,
 * each request takes up to twice as long.
 */
const SERIES = { lead: 500, count: 200 };

/**
 * Measures the large data set, where a full response takes long.
 * @returns {Promise<{ rows: object, aims: object[] }>}
 */
export async function measureUnchanged({ server, large, client }, { rounds, repeatedRounds }) {
  const { url, pid, token } = large.service;
  const headers = await token('BENCH-A');
  const database = await server.pid();
  const whole = Object.fromEntries(PATHS.map((path) => [path, { url: `${url}/${path}`, pid, headers }]));
  const yardsticks = await startYardsticks(large.url);
  try {
    const repeated = { ...(await unchangedCalls(whole, client, database)), ...queryCalls(yardsticks) };
    const full = await inRounds(rounds, client, database, whole);
    await warmUp(client, database, repeated);
    const samples = await inRounds(repeatedRounds, client, database, repeated);
    const rows = rowsOf(large.size, { ...full, ...samples });
    return { rows, aims: unchangedAims(large.size, samples) };
  } finally {
    await yardsticks.stop();
  }
}

/** Express handlers that run one statement each: `SELECT 1`, and the query that every 304 needs. */
export function queryCalls({ url, pid }) {
  const call = { pid, status: 204, ...SERIES };
  return { oneQuery: { ...call, url: `${url}/one-query` }, stateQuery: { ...call, url: `${url}/state-query` } };
}

/** The calls with the validators of their responses. @returns {Promise<Record<string, object>>} key: path and `304` */
export async function unchangedCalls(calls, client, database) {
  const unchanged = {};
  for (const path of PATHS) {
    const { etag } = await sample(client, database, calls[path]);
    const headers = { ...calls[path].headers, 'if-none-match': etag };
    unchanged[`${path}304`] = { ...calls[path], headers, status: 304, ...SERIES };
  }
  return unchanged;
}

/** Sends {@link WARM_UP} requests to the service and to the yardsticks. Each of the two uses the same code for all. */
export async function warmUp(client, database, calls) {
  for (const names of [PATHS.map((path) => `${path}304`), ['oneQuery', 'stateQuery']])
    for (const name of names)
      await sample(client, database, { ...calls[name], lead: 0, count: WARM_UP / names.length });
}

export function unchangedAims(size, samples) {
  const overOneQuery = (name) => ratioOf(samples[name], samples.oneQuery);
  const aims = PATHS.map((path) => ({
    aim: 'P8',
    what: `304 of \`/${path}\` of ${size} / Express with \`SELECT 1\``,
    row: `GET /${path}, 304`,
    figure: overOneQuery(`${path}304`),
    most: 1.6,
  }));
  const what = `Express with the query of a 304 of ${size} / Express with \`SELECT 1\``;
  return [...aims, { aim: 'P8', what, figure: overOneQuery('stateQuery') }];
}

function rowsOf(size, samples) {
  const label = (name, suffix = '') => `GET /${name} of ${size}${suffix}`;
  const rows = PATHS.map((path) => [label(path), rowOf(samples[path])]);
  for (const path of PATHS) rows.push([label(path, ', 304'), rowOf(samples[`${path}304`])]);
  return Object.fromEntries(rows);
}
