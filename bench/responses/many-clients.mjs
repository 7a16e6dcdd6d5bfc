// P15: the effect of the spool on a fast client, and fifty clients at 20 kB/s.
import { setTimeout as sleep } from 'node:timers/promises';
import { metric } from '../metric.mjs';
import { peakOf, resetPeak } from '../process-usage.mjs';
import { startService } from '../running-service.mjs';
import { inRounds, ratioOf } from '../sample.mjs';
import { SLOW, UNCACHED } from './stage.mjs';

/** The default limit of downloads of one customer. */
export const DOWNLOADS_EACH = 5;

/**
 * The services have no cache of responses, which would hide the effect of the spool.
 * @returns {Promise<{ rows: object, aims: object[] }>}
 */
export async function measureManyClients(stage, { rounds }) {
  const aims = [await measureSpool(stage, rounds), ...(await measureFifty(stage))];
  return { rows: {}, aims: aims.map((aim) => ({ aim: 'P15', ...aim })) };
}

async function measureSpool({ server, m, client }, rounds) {
  const database = await server.pid();
  const holding = await startService(m.url, { ...UNCACHED, SPOOL_MEGABYTES: '0' });
  try {
    const headers = await m.service.token('BENCH-A');
    const call = ({ url, pid }) => ({ url: `${url}/products`, pid, headers, count: 10 });
    const calls = { spooling: call(m.service), holding: call(holding) };
    await inRounds(1, client, database, calls);
    const samples = await inRounds(rounds, client, database, calls);
    const figure = ratioOf(samples.holding, samples.spooling);
    return { what: 'speed of a fast client with the spool / without', figure, least: 0.97 };
  } finally {
    await holding.stop();
  }
}

async function measureFifty({ m, crowd }) {
  const service = await startService(m.url, UNCACHED);
  try {
    const before = await warmUp(service, crowd);
    const tokens = await Promise.all(SLOW.map((code) => service.token(code)));
    const call = { url: `${service.url}/products`, bytesPerSecond: 20_000, most: 12 };
    const each = tokens.flatMap((headers) => Array.from({ length: DOWNLOADS_EACH }, () => ({ ...call, headers })));
    const pending = Promise.all(each.map((one) => crowd.ask('get', one)));
    await sleep(6000);
    const held = await metric(service, 'downloads_active');
    const responses = await pending;
    const growth = (peakOf(service.pid) - before) / 2 ** 20;
    const what = (figure) => `${each.length} clients at 20 kB/s: ${figure}`;
    return [
      { what: what('responses other than 200'), figure: failuresOf(responses), most: 0 },
      { what: what('latest first byte'), figure: latestFirstByte(responses), unit: 's', most: 2 },
      { what: what('connections held after 6 s'), figure: held, most: 0 },
      { what: what('growth of memory'), figure: growth, unit: 'MiB', most: 64 },
    ];
  } finally {
    await service.stop();
  }
}

/** Warms the service up with fast clients. @returns its peak memory in bytes */
export async function warmUp(service, crowd) {
  const headers = await service.token('BENCH-B');
  await crowd.ask('downloads', { url: `${service.url}/products`, headers, clients: 4, seconds: 3 });
  resetPeak(service.pid);
  await sleep(500);
  return peakOf(service.pid);
}

export const failuresOf = (responses) => responses.filter(({ status }) => status !== 200).length;

/** Seconds. A client that received no byte counts with the time that it waited. */
export const latestFirstByte = (responses) =>
  Math.max(...responses.map(({ firstByte, seconds }) => firstByte ?? seconds));
