import type { DataSource } from 'typeorm';
import { ServerPool } from './server-pool.js';

const refused = (code: string) => () => Promise.reject<DataSource>(Object.assign(new Error(code), { code }));

/**
 * @param silentSince what was known before
 * @returns when the server was silent, as all pools of connections to it are told, after a pool could not be opened
 */
async function silentAfter(open: () => Promise<DataSource>, silentSince = 0): Promise<number> {
  const load = { name: 'download', size: 1, inUse: 0, waiting: 0 };
  const server = { silentSince };
  const lease = new ServerPool(open, { wait: 50, load, server }).lease();
  expect(await lease.catch((error: Error) => error)).toBeInstanceOf(Error);
  return server.silentSince;
}

test.each([
  ['does not answer', () => new Promise<DataSource>(() => undefined)],
  ['does not connect', refused('ETIMEDOUT')],
])('a server that %s in time is silent, for its other pools too (decision 86)', async (_name, open) => {
  const begun = performance.now();
  expect(await silentAfter(open)).toBeGreaterThanOrEqual(begun);
});

test.each(['ECONNREFUSED', 'ER_CON_COUNT_ERROR'])('one that answers %s is not', async (code) => {
  expect(await silentAfter(refused(code))).toBe(0);
});

test('what is known of a later time stays known', async () => {
  const later = performance.now() + 1000;
  expect(await silentAfter(refused('ETIMEDOUT'), later)).toBe(later);
});
