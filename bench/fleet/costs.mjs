// The cost of each kind of request, sent one after another, and the cost of one customer per day.
import { KEY } from '../keys.mjs';
import { sample } from '../sample.mjs';
import { callsADay, STOCK_CHANGED, TOKENS_A_DAY } from './cadence.mjs';

/** A customer with the most common terms and a practically unlimited quota. */
const CUSTOMER = 'BENCH-A';

/**
 * @param deliver imports a delivery of stock
 * @returns {Promise<Record<string, object>>} the result of `sample` for each kind of request
 */
export async function measureCosts({ url, pid, token }, client, databasePid, deliver) {
  const authorization = await token(CUSTOMER);
  const costs = {};
  const measure = async (kind, path, more) => {
    const call = { url: `${url}/${path}`, pid, ...more };
    await sample(client, databasePid, { ...call, count: 3 });
    costs[kind] = await sample(client, databasePid, call);
  };
  for (const path of ['products', 'prices', 'stock'])
    for (const encoding of ['identity', 'gzip']) {
      const headers = { ...authorization, 'accept-encoding': encoding };
      await measure(`${path} 200, ${encoding}`, path, { headers, count: path === 'products' ? 20 : 60 });
    }
  for (const path of ['products', 'prices', 'stock']) {
    const headers = { ...authorization, 'if-none-match': costs[`${path} 200, identity`].etag };
    await measure(`${path} 304`, path, { headers, status: 304, count: 400 });
  }
  const base = { ...authorization, 'accept-encoding': 'gzip', 'if-none-match': costs['stock 200, identity'].etag };
  await measure('stock/changes 304', 'stock/changes', { headers: base, status: 304, count: 400 });
  await deliver();
  await measure('stock/changes 200, gzip', 'stock/changes', { headers: base, count: 60 });
  await measure('api/version 200', 'api/version', { count: 400 });
  const form = `grant_type=client_credentials&client_id=${CUSTOMER}&client_secret=${KEY}`;
  await measure('token 200', 'auth/token', { form, count: 50 });
  return costs;
}

/**
 * The number of requests of each kind that one customer sends per day, if products and prices change daily.
 * @param stock the path of stock
 */
export const callsOfADay = (stock) => ({
  'products 200, gzip': callsADay('products'),
  'prices 200, gzip': callsADay('prices'),
  [`${stock} 200, gzip`]: callsADay('stock') * STOCK_CHANGED,
  [`${stock} 304`]: callsADay('stock') * (1 - STOCK_CHANGED),
  'api/version 200': callsADay('api/version'),
  'token 200': TOKENS_A_DAY,
});

/** The cost of one customer per day. @param key a key of a sample, such as `cpu` (in seconds) */
export function aDay(costs, stock, key) {
  return Object.entries(callsOfADay(stock)).reduce((sum, [kind, times]) => sum + costs[kind][key] * times, 0);
}
