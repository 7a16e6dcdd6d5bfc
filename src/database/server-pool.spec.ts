import type { DataSource } from 'typeorm';
import { ServerPool } from './server-pool.js';

const refused = (code: string) => () => Promise.reject<DataSource>(Object.assign(new Error(code), { code }));

/**
 * Fails to open a pool.
 * @param silentSince the time that was recorded before
 * @returns the time that is recorded for all pools of the server afterwards
 */
async function silentAfter(open: () => Promise<DataSource>, silentSince = 0): Promise<number> {
  const load = { name: 'download', size: 1, inUse: 0, waiting: 0 };
  const server = { silentSince };
  const lease = new ServerPool(open, { wait: 50, load, server }).begin('DO 1');
  expect(await lease.catch((error: Error) => error)).toBeInstanceOf(Error);
  return server.silentSince;
}

test.each([
  ['does not respond', () => new Promise<DataSource>(() => undefined)],
  ['does not connect', refused('ETIMEDOUT')],
])('a server that %s in time is recorded as silent for all of its pools (decision 86)', async (_name, open) => {
  const startedAt = performance.now();
  expect(await silentAfter(open)).toBeGreaterThanOrEqual(startedAt);
});

test.each(['ECONNREFUSED', 'ER_CON_COUNT_ERROR'])(
  'a server that responds with %s is not recorded as silent',
  async (code) => {
    expect(await silentAfter(refused(code))).toBe(0);
  },
);

test('a later recorded time is kept', async () => {
  const later = performance.now() + 1000;
  expect(await silentAfter(refused('ETIMEDOUT'), later)).toBe(later);
});
