// P5, P7: the smallest request, first without other load, then during large downloads.
import { median } from '../report.mjs';
import { startYardsticks } from './yardsticks.mjs';

/** @returns {Promise<{ rows: object, aims: object[] }>} */
export async function measureWaiting({ m: { service }, client, crowd }, { rounds, seconds }) {
  const version = { url: `${service.url}/api/version`, milliseconds: 5, seconds };
  const products = { url: `${service.url}/products`, headers: await service.token('BENCH-A'), clients: 4, seconds };
  const idle = [];
  const busy = [];
  await client.ask('atIntervals', { ...version, seconds: 1 });
  for (let round = 0; round < rounds; round++) {
    idle.push(...(await client.ask('atIntervals', version)));
    const downloads = crowd.ask('downloads', products);
    busy.push(...(await client.ask('atIntervals', version)));
    for (const { status } of await downloads) if (status !== 200) throw new Error(`A download received ${status}`);
  }
  const row = (responses) => ({ milliseconds: median(secondsOf(responses)) * 1000, 'p99, ms': p99(responses) * 1000 });
  return {
    rows: { 'GET /api/version, idle': row(idle), 'GET /api/version, while 4 clients download': row(busy) },
    aims: [
      {
        aim: 'P5',
        what: '99th percentile of `/api/version` beside 4 downloads / idle',
        figure: p99(busy) / p99(idle),
        most: 5,
      },
    ],
  };
}

/** The lowest allowed ratio to the requests per second of a bare Express handler. */
const LEAST = { anonymous: 0.5, 'with a token': 0.6 };

/** @returns {Promise<{ rows: object, aims: object[] }>} */
export async function measureRate({ m: { url, service }, client }, { rounds, seconds }) {
  const bare = await startYardsticks(url);
  try {
    const version = { url: `${service.url}/api/version` };
    const calls = {
      anonymous: version,
      'with a token': { ...version, headers: await service.token('BENCH-A') },
      bare: { url: `${bare.url}/api/version` },
    };
    const rates = Object.fromEntries(Object.keys(calls).map((name) => [name, []]));
    for (const call of Object.values(calls)) await client.ask('rate', { ...call, seconds: 1 });
    for (let round = 0; round < rounds; round++)
      for (const [name, call] of Object.entries(calls))
        rates[name].push(await client.ask('rate', { ...call, seconds }));
    return { rows: rowsOf(rates), aims: Object.keys(LEAST).map((name) => aimOf(name, rates)) };
  } finally {
    await bare.stop();
  }
}

function rowsOf({ bare, ...ours }) {
  const rows = Object.entries(ours).map(([name, rates]) => [`GET /api/version, ${name}`, median(rates)]);
  rows.push(['GET /api/version, a bare Express handler', median(bare)]);
  return Object.fromEntries(rows.map(([name, rate]) => [name, { 'requests/s': rate }]));
}

function aimOf(name, rates) {
  const figure = median(rates[name].map((rate, round) => rate / rates.bare[round]));
  return { aim: 'P7', what: `requests/s of \`/api/version\`, ${name} / bare Express`, figure, least: LEAST[name] };
}

const secondsOf = (responses) => responses.map((one) => one.seconds);

const p99 = (responses) => secondsOf(responses).toSorted((a, b) => a - b)[Math.floor(responses.length * 0.99)];
