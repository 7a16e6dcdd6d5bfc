// The requests of a comparison.
const WHOLE = ['seconds', 'firstByte', 'cpu', 'databaseCpu', 'peak'];
const QUERY = ['seconds', 'cpu', 'databaseCpu'];
const NO_QUERY = ['seconds', 'cpu'];
const gzip = { 'accept-encoding': 'gzip' };
const brotli = { 'accept-encoding': 'br' };

/**
 * Each request, how often one sample sends it, and the keys of the sample that matter. `cached`: the service keeps
 * responses. `unchanged`: the request has the ETag of its response. `anonymous`: it has no token. `login`: it is for one.
 */
export const REQUESTS = {
  '/products': { path: 'products', count: 2, keys: WHOLE },
  '/products, gzip': { path: 'products', headers: gzip, count: 1, keys: WHOLE },
  '/products, brotli': { path: 'products', headers: brotli, count: 1, keys: WHOLE },
  '/products again': { path: 'products', cached: true, count: 5, keys: NO_QUERY },
  '/products again, gzip': { path: 'products', headers: gzip, cached: true, count: 10, keys: NO_QUERY },
  '/products again, brotli': { path: 'products', headers: brotli, cached: true, count: 10, keys: NO_QUERY },
  '/stock': { path: 'stock', count: 5, keys: QUERY },
  '/prices': { path: 'prices', count: 5, keys: QUERY },
  '/products, 304': { path: 'products', unchanged: true, count: 50, keys: QUERY },
  '/stock, 304': { path: 'stock', unchanged: true, count: 50, keys: QUERY },
  '/prices, 304': { path: 'prices', unchanged: true, count: 50, keys: QUERY },
  '/api/version': { path: 'api/version', anonymous: true, count: 100, keys: NO_QUERY },
  '/api/version with a token': { path: 'api/version', count: 100, keys: NO_QUERY },
  'POST /auth/token': { path: 'auth/token', login: true, anonymous: true, count: 25, keys: QUERY },
};

/**
 * The call of one side, for `sample`.
 * @param {{ service: object, headers: object, form: string }} side `headers` and `form` are those of a customer
 * @returns {Promise<object | undefined>} undefined if the service does not return the expected status
 */
export async function callOf(client, { service, headers, form }, request) {
  const { path, count, unchanged, anonymous, login } = request;
  const call = {
    url: `${service.url}/${path}`,
    pid: service.pid,
    headers: { ...(!anonymous && headers), ...request.headers },
    ...(login && { form }),
  };
  const { status, etag } = await client.ask('get', call);
  if (status !== 200) return undefined;
  if (!unchanged) return { ...call, count };
  if (!etag) return undefined;
  const conditional = { ...call, headers: { ...call.headers, 'if-none-match': etag } };
  return (await client.ask('get', conditional)).status === 304 ? { ...conditional, status: 304, count } : undefined;
}
