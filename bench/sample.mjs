// Measures requests: wall time of the client, and CPU and memory of the processes.
import assert from 'node:assert/strict';
import { cpuOf, resetPeak, peakOf } from './process-usage.mjs';
import { median } from './report.mjs';

/**
 * Sends the same request `lead + count` times, one after another. Measures the last `count` of them.
 * @param call.pid the process that responds; `call.status` is the expected status
 * @returns {Promise<{ seconds, firstByte, bytes, cpu, databaseCpu, peak, etag }>} the median of seconds, the mean of
 *   CPU seconds per request, the bytes of one response, and the peak memory of the process in bytes
 */
export async function sample(client, databasePid, { pid, status = 200, lead = 0, count = 1, ...request }) {
  if (lead) await client.ask('series', { count: lead, ...request });
  resetPeak(pid);
  const before = [cpuOf(pid), cpuOf(databasePid)];
  const responses = await client.ask('series', { count, ...request });
  const [cpu, databaseCpu] = [cpuOf(pid), cpuOf(databasePid)].map((after, index) => (after - before[index]) / count);
  for (const response of responses) assert.equal(response.status, status, request.url);
  const [{ bytes, etag, firstByte }] = responses;
  const seconds = median(responses.map((response) => response.seconds));
  return { seconds, firstByte, bytes, cpu, databaseCpu, peak: peakOf(pid), etag };
}

/**
 * Samples each call once per round, so that the load of the machine affects all calls alike.
 * @param {Record<string, object>} calls
 * @returns {Promise<Record<string, object[]>>} the samples of each call, by round
 */
export async function inRounds(rounds, client, databasePid, calls) {
  const samples = Object.fromEntries(Object.keys(calls).map((name) => [name, []]));
  for (let round = 0; round < rounds; round++)
    for (const [name, call] of Object.entries(calls)) samples[name].push(await sample(client, databasePid, call));
  return samples;
}

/** The median over the rounds of the ratio of two series of samples. */
export function ratioOf(samples, over, key = 'seconds') {
  return median(samples.map((one, round) => one[key] / over[round][key]));
}

/** The samples as a row of a table, NaN if unknown. CPU times are means because their resolution is 10 ms. */
export function rowOf(samples) {
  const middle = (key) => median(samples.map((one) => one[key]));
  const mean = (key) => samples.reduce((sum, one) => sum + one[key], 0) / samples.length;
  const peak = Math.max(...samples.map((one) => one.peak));
  return {
    milliseconds: middle('seconds') * 1000,
    'first byte, ms': middle('firstByte') * 1000,
    'CPU, ms': mean('cpu') * 1000,
    'CPU of the database, ms': mean('databaseCpu') * 1000,
    'peak RSS, MB': peak / 1e6,
    MB: middle('bytes') / 1e6,
  };
}
