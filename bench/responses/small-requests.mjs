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
    aims: [{ aim: 'P5', what: 'p99 of GET /api/version, busy over idle', figure: p99(busy) / p99(idle), most: 5 }],
  };
}

/** @returns {Promise<{ rows: object, aims: object[] }>} */
export async function measureRate({ m, client }, { rounds, seconds }) {
  const bare = await startYardsticks(m.url, 0);
  try {
    const urls = [m.service.url, bare.url];
    const rates = urls.map(() => []);
    for (const url of urls) await client.ask('rate', { url: `${url}/api/version`, seconds: 1 });
    for (let round = 0; round < rounds; round++)
      for (const [index, url] of urls.entries())
        rates[index].push(await client.ask('rate', { url: `${url}/api/version`, seconds }));
    const [ours, theirs] = rates.map(median);
    const ratio = median(rates[0].map((rate, round) => rate / rates[1][round]));
    return {
      rows: {
        'GET /api/version, metered': { 'requests/s': ours },
        'GET /api/version, a bare Express handler': { 'requests/s': theirs },
      },
      aims: [{ aim: 'P7', what: 'requests/s over a bare Express handler', figure: ratio, least: 0.5 }],
    };
  } finally {
    await bare.stop();
  }
}

const secondsOf = (responses) => responses.map((one) => one.seconds);

const p99 = (responses) => secondsOf(responses).toSorted((a, b) => a - b)[Math.floor(responses.length * 0.99)];
