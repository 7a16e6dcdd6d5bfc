// P4: the effect of eight slow clients of the large data set on other clients, and the memory that they use.
import { resetPeak, peakOf } from '../process-usage.mjs';
import { median } from '../report.mjs';
import { startService } from '../running-service.mjs';
import { QUICK, SLOW, UNCACHED } from './stage.mjs';

/** Bytes per second of each client. A compressed response contains several times as many products per byte. */
const PACES = { identity: 2_000_000, gzip: 300_000, br: 300_000 };
/**
 * Number of phases without slow clients at the start. Their requests fill the heap with garbage until V8 collects it at
 * the size that `npm start` sets. Only then, memory grows because of the slow clients.
 */
const FILLING_PHASES = 7;

/**
 * Uses a new service, because the memory of the other one includes what earlier sections left behind.
 * @returns {Promise<{ rows: object, aims: object[] }>}
 */
export async function measureSlowClients(stage, options) {
  const service = await startService(stage.large.url, UNCACHED);
  try {
    return await measureOn({ ...stage, large: { ...stage.large, service } }, options);
  } finally {
    await service.stop();
  }
}

async function measureOn(stage, { rounds, seconds }) {
  const { service } = stage.large;
  const slow = await Promise.all(SLOW.slice(0, 8).map((code) => service.token(code)));
  const quick = await service.token(QUICK);
  const { etag } = await stage.client.ask('get', { url: `${service.url}/stock`, headers: quick });
  const calls = callsOf(service.url, quick, etag);
  const filling = [];
  while (filling.length < FILLING_PHASES) filling.push(await phase(stage, calls, seconds));
  const phases = Object.fromEntries(['alone', ...Object.keys(PACES)].map((name) => [name, []]));
  for (let round = 0; round < rounds; round++)
    for (const [name, results] of Object.entries(phases)) {
      const crowd = name === 'alone' ? [] : slow.map((headers) => slowDownload(stage, name, headers, seconds));
      results.push(await phase(stage, calls, seconds));
      await Promise.all(crowd);
    }
  return { rows: rowsOf(phases, stage.large.size), aims: aimsOf(filling, phases, stage.large.size) };
}

function callsOf(url, headers, etag) {
  return {
    products: { url: `${url}/products`, headers },
    version: { url: `${url}/api/version` },
    unchanged: { url: `${url}/stock`, headers: { ...headers, 'if-none-match': etag } },
  };
}

/** Reads slowly, and disconnects shortly after the phase ends. */
async function slowDownload({ large, crowd }, encoding, headers, seconds) {
  const { status } = await crowd.ask('get', {
    url: `${large.service.url}/products`,
    headers: { ...headers, 'accept-encoding': encoding },
    bytesPerSecond: PACES[encoding],
    most: seconds + 0.5,
  });
  if (status !== 200) throw new Error(`A slow client received ${status}`);
}

/** Repeats the /products request of the quick customer, and sends small requests at the same time. */
async function phase({ large, client }, { products, version, unchanged }, seconds) {
  const { pid } = large.service;
  resetPeak(pid);
  const small = (call) => client.ask('atIntervals', { ...call, milliseconds: 25, seconds });
  const whole = client.ask('downloads', { ...products, clients: 1, seconds });
  const responses = await Promise.all([whole, small(version), small(unchanged)]);
  const [ofProducts, ofVersion, ofUnchanged] = responses.map((some) => median(some.map((one) => one.seconds)));
  return { products: ofProducts, version: ofVersion, unchanged: ofUnchanged, peak: peakOf(pid) };
}

const highestPeak = (results) => Math.max(...results.map(({ peak }) => peak));

const middle = (results, key) => median(results.map((one) => one[key]));

function rowsOf(phases, size) {
  const rows = {};
  for (const [name, results] of Object.entries(phases)) {
    const meanwhile = name === 'alone' ? 'no others' : `8 slow clients, ${name}`;
    const row = (key) => ({ milliseconds: middle(results, key) * 1000, 'peak RSS, MB': middle(results, 'peak') / 1e6 });
    rows[`of ${size}, ${meanwhile}: 5,000 /products`] = row('products');
    rows[`of ${size}, ${meanwhile}: GET /api/version`] = row('version');
    rows[`of ${size}, ${meanwhile}: GET /stock, 304`] = row('unchanged');
  }
  return rows;
}

function aimsOf(filling, { alone, ...crowded }, size) {
  // Node returns memory late, so later phases without slow clients still show memory of the slow clients.
  const growth = (results) => (highestPeak(results) - highestPeak(filling)) / 2 ** 20;
  const slower = (key) => middle(crowded.identity, key) / middle(alone, key);
  return [
    {
      aim: 'P4',
      what: `8 slow clients of ${size}: growth of memory`,
      figure: growth(crowded.identity),
      unit: 'MiB',
      most: 64,
    },
    { aim: 'P4', what: '5,000 `/products` beside them / without them', figure: slower('products'), most: 2 },
    { aim: 'P4', what: '`/api/version` beside them / without them', figure: slower('version'), most: 2 },
    { aim: 'P4', what: '304 of `/stock` beside them / without them', figure: slower('unchanged'), most: 2 },
    { aim: 'P9', what: '8 slow clients, gzip: growth of memory', figure: growth(crowded.gzip), unit: 'MiB', most: 64 },
    { aim: 'P9', what: '8 slow clients, brotli: growth of memory', figure: growth(crowded.br), unit: 'MiB', most: 64 },
  ];
}
