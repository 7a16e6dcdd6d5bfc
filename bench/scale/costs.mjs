// The cost of each kind of request, for a data set of each size.
import { KEY } from '../keys.mjs';
import { startService } from '../running-service.mjs';
import { sample } from '../sample.mjs';

/** A customer with a practically unlimited quota. */
const CUSTOMER = 'BENCH-A';

/**
 * Sends each kind of request several times, one after another.
 * @param deliver imports a delivery of stock
 * @param {{ products: number, others: number, small: number }} counts how often each kind of request is sent
 * @returns {Promise<Record<string, object>>} the result of `sample` for each kind
 */
export async function measureCosts({ url, client, databasePid, deliver, counts }) {
  const costs = {};
  const context = { client, databasePid, costs };
  // Without a cache, as for customers that share their terms with no other customer.
  await withService(url, { RESPONSE_CACHE_MEGABYTES: '0' }, context, async (measure) => {
    await measure('products', 'products', { count: counts.products });
    await measure('prices', 'prices', { count: counts.others });
  });
  await withService(url, {}, context, async (measure) => {
    await measure('productsCached', 'products', { count: counts.others });
    await measure('pricesCached', 'prices', { count: counts.others });
    await measure('stock', 'stock', { count: counts.others });
    const base = { 'if-none-match': costs.stock.etag };
    await measure('unchanged', 'stock', { headers: base, status: 304, count: counts.small });
    await deliver();
    await measure('changes', 'stock/changes', { headers: base, count: counts.others });
    await measure('version', 'api/version', { count: counts.small });
    const form = `grant_type=client_credentials&client_id=${CUSTOMER}&client_secret=${KEY}`;
    await measure('token', 'auth/token', { form, count: Math.ceil(counts.small / 4) });
  });
  return costs;
}

async function withService(url, settings, { client, databasePid, costs }, work) {
  const service = await startService(url, settings);
  try {
    const authorization = await service.token(CUSTOMER);
    await work(async (kind, path, { headers, ...more }) => {
      const all = { ...authorization, 'accept-encoding': 'gzip', ...headers };
      const call = { url: `${service.url}/${path}`, pid: service.pid, headers: all, ...more };
      await sample(client, databasePid, { ...call, count: 1 });
      costs[kind] = await sample(client, databasePid, call);
    });
  } finally {
    await service.stop();
  }
}
