// Measures requests: the services of both sides respond to the same client in turn.
import { cpuOf, peakOf } from '../process-usage.mjs';
import { startService } from '../running-service.mjs';
import { sample } from '../sample.mjs';
import { callOf, REQUESTS } from './requests.mjs';
import { CUSTOMER, inOrder } from './sides.mjs';

/**
 * Starts new services of both sides, because two processes of the same code can differ for as long as they run.
 * @param {{ base: object, now: object }} sides see `onBothSides`
 * @param {string[]} order the order of the sides
 * @returns {Promise<import('./figures.mjs').Measured[]>}
 */
export async function measureServices(sides, order, { client, databasePid }) {
  const stops = [];
  const start = (settings) =>
    inOrder(order, async (side) => {
      const started = await startOne(sides[side], settings);
      stops.push(started.stop);
      return started;
    });
  try {
    const [cached, uncached] = [await start({}), await start({ RESPONSE_CACHE_MEGABYTES: '0' })];
    const measured = [{ what: 'start until ready', keys: ['seconds', 'cpu', 'peak'], ...cached }];
    for (const [what, request] of Object.entries(REQUESTS)) {
      const services = request.cached ? cached : uncached;
      const calls = await inOrder(order, (side) => callOf(client, services[side], request));
      measured.push({ what, keys: request.keys, ...(await samplesOf(calls, order, client, databasePid)) });
    }
    return measured;
  } finally {
    await Promise.all(stops.map((stop) => stop()));
  }
}

/** Starts a service until it is ready, and measures that. */
async function startOne({ folder, url, key }, settings) {
  const start = performance.now();
  const service = await startService(url, settings, folder);
  const usage = { seconds: (performance.now() - start) / 1000, cpu: cpuOf(service.pid), peak: peakOf(service.pid) };
  const headers = await service.token(CUSTOMER, key);
  const form = `grant_type=client_credentials&client_id=${CUSTOMER}&client_secret=${key}`;
  return { service, headers, form, stop: service.stop, ...usage };
}

/** @returns the samples of both sides after a warm-up; nothing if the base lacks the request */
async function samplesOf(calls, order, client, databasePid) {
  if (!calls.now) throw new Error('A request of this checkout failed');
  if (!calls.base) return {};
  await inOrder(order, (side) => sample(client, databasePid, calls[side]));
  return inOrder(order, (side) => sample(client, databasePid, calls[side]));
}
