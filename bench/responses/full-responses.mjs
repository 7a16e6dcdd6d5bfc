// P1, P2, P6, P8, P9: full responses of M, each compared with its yardstick.
import { inRounds, ratioOf, rowOf, sample } from '../sample.mjs';
import { median } from '../report.mjs';
import { queryCalls, unchangedAims, unchangedCalls, warmUp } from './unchanged.mjs';
import { startYardsticks } from './yardsticks.mjs';

const NAMES = {
  products: 'GET /products',
  gzip: 'GET /products, gzip',
  brotli: 'GET /products, brotli',
  floorA: 'only read the same rows',
  buffer: 'the same bytes from memory',
  batched: 'batches of raw queries',
  stock: 'GET /stock',
  rawStock: 'stock: one raw query, JSON.stringify',
  prices: 'GET /prices',
  rawPrices: 'prices: one raw query, JSON.stringify',
  products304: 'GET /products, 304',
  stock304: 'GET /stock, 304',
  prices304: 'GET /prices, 304',
  oneQuery: 'Express with SELECT 1',
  stateQuery: 'Express with the query of a 304',
  typeorm: 'TypeORM find with relations',
  nest: 'NestJS and TypeORM find',
};

/** @returns {Promise<{ rows: object, aims: object[] }>} */
export async function measureFullResponses({ server, m, client }, { rounds, typeormRounds }) {
  const database = await server.pid();
  const calls = await callsOf(m, client, database);
  const { bytes } = await sample(client, database, calls.products);
  const yardsticks = await startYardsticks(m.url);
  try {
    Object.assign(calls, yardstickCalls(yardsticks, bytes));
    await inRounds(1, client, database, calls);
    await warmUp(client, database, calls);
    const samples = await inRounds(rounds, client, database, inOrderOfNames(calls));
    const { url, nestUrl, pid } = yardsticks;
    const slow = { typeorm: { url: `${url}/typeorm`, pid }, nest: { url: `${nestUrl}/products`, pid } };
    Object.assign(samples, await inRounds(typeormRounds, client, database, slow));
    const rows = Object.entries(NAMES).map(([name, label]) => [label, rowOf(samples[name])]);
    return { rows: Object.fromEntries(rows), aims: aimsOf(samples) };
  } finally {
    await yardsticks.stop();
  }
}

async function callsOf({ service: { url, pid, token } }, client, database) {
  const authorization = await token('BENCH-A');
  const call = (path, headers) => ({ url: `${url}/${path}`, pid, headers: { ...authorization, ...headers } });
  const calls = {
    products: call('products'),
    gzip: call('products', { 'accept-encoding': 'gzip' }),
    brotli: call('products', { 'accept-encoding': 'br' }),
    stock: call('stock'),
    prices: call('prices'),
  };
  return { ...calls, ...(await unchangedCalls(calls, client, database)) };
}

function yardstickCalls(yardsticks, bytes) {
  const { url, pid } = yardsticks;
  return {
    floorA: { url: `${url}/floor-a`, pid, status: 204 },
    rawStock: { url: `${url}/stock`, pid, status: 204 },
    rawPrices: { url: `${url}/prices`, pid, status: 204 },
    buffer: { url: `${url}/buffer/${bytes}`, pid },
    batched: { url: `${url}/batched`, pid },
    ...queryCalls(yardsticks),
  };
}

/** The calls in the order of NAMES, which puts each call next to its yardstick. */
function inOrderOfNames(calls) {
  const names = Object.keys(NAMES).filter((name) => calls[name]);
  return Object.fromEntries(names.map((name) => [name, calls[name]]));
}

function aimsOf(samples) {
  const { products, floorA, gzip, brotli } = samples;
  const seconds = (name) => median(samples[name].map((one) => one.seconds));
  const mean = (name, key) => samples[name].reduce((sum, one) => sum + one[key], 0) / samples[name].length;
  return [
    {
      aim: 'P1',
      what: "TypeORM's `find` / `/products` of M",
      row: NAMES.products,
      figure: seconds('typeorm') / seconds('products'),
      least: 25,
    },
    ratioAim('P1', '`/products` of M / only reading the same rows', ratioOf(products, floorA), 0.8, NAMES.products),
    ratioAim('P2', 'CPU of `/products` of M / time of that reading', mean('products', 'cpu') / seconds('floorA'), 1),
    ratioAim(
      'P6',
      '`/stock` of M / one raw query and `JSON.stringify`',
      ratioOf(samples.stock, samples.rawStock),
      1.3,
      NAMES.stock,
    ),
    ratioAim(
      'P6',
      '`/prices` of M / one raw query and `JSON.stringify`',
      ratioOf(samples.prices, samples.rawPrices),
      1.3,
      NAMES.prices,
    ),
    ...unchangedAims('M', samples),
    ratioAim('P9', '`/products` of M with gzip / uncompressed', ratioOf(gzip, products), 2, NAMES.gzip),
    ratioAim('P9', '`/products` of M with brotli / uncompressed', ratioOf(brotli, products), 2, NAMES.brotli),
    ...Object.entries({ gzip, brotli }).map(([name, compressed]) => ({
      aim: 'P9',
      what: `first byte with ${name} minus that of the uncompressed response`,
      unit: 'ms',
      figure: median(compressed.map(({ firstByte }, round) => (firstByte - products[round].firstByte) * 1000)),
      most: 20,
    })),
  ];
}

/** @param [row] the row of the chart that shows the limit */
const ratioAim = (aim, what, figure, most, row) => ({ aim, what, figure, most, row });
