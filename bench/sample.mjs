// What calls take: of the client's time, of the processes' CPU and memory.
import assert from 'node:assert/strict';
import { cpuOf, forgetPeak, peakOf } from './process-usage.mjs';
import { median } from './report.mjs';

/**
 * Makes the same call some times, one after the other.
 * @param call.pid the process that answers; `call.status` is what it should answer with
 * @returns {Promise<{ seconds, firstByte, bytes, cpu, databaseCpu, peak, etag }>} per call: medians of seconds, means of
 *   CPU seconds; bytes of one answer; peak memory of the process
 */
export async function sample(client, databasePid, { pid, status = 200, count = 1, ...request }) {
  forgetPeak(pid);
  const before = [cpuOf(pid), cpuOf(databasePid)];
  const responses = await client.ask('series', { count, ...request });
  const [cpu, databaseCpu] = [cpuOf(pid), cpuOf(databasePid)].map((after, index) => (after - before[index]) / count);
  for (const response of responses) assert.equal(response.status, status, request.url);
  const [{ bytes, etag, firstByte }] = responses;
  const seconds = median(responses.map((response) => response.seconds));
  return { seconds, firstByte, bytes, cpu, databaseCpu, peak: peakOf(pid), etag };
}

/**
 * Samples each call once a round, in turn, so that none has better times than another.
 * @param {Record<string, object>} calls
 * @returns {Promise<Record<string, object[]>>} the samples of each call, by round
 */
export async function inRounds(rounds, client, databasePid, calls) {
  const samples = Object.fromEntries(Object.keys(calls).map((name) => [name, []]));
  for (let round = 0; round < rounds; round++)
    for (const [name, call] of Object.entries(calls)) samples[name].push(await sample(client, databasePid, call));
  return samples;
}

/** The median of what one series of samples comes to over another, round by round. */
export function ratioOf(samples, over, key = 'seconds') {
  return median(samples.map((one, round) => one[key] / over[round][key]));
}

/** The samples in one row of a table, NaN where nothing is known. CPU times are means: they are counted in hundredths of a second. */
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
