import { type ReceivedResponse, call, type Call, tokenIn } from './http-call.js';

/**
 * The step that a request needs for its usual response, besides being counted. It determines how an outage may affect
 * the request.
 */
export type Needs = 'nothing' | 'count' | 'lookup' | 'download' | 'probe' | 'metrics';

/** A request that is sent repeatedly. */
export interface Kind {
  readonly name: string;
  readonly needs: Needs;
  readonly url: string;
  readonly call: Call;
  readonly status: number;
  /** The body of every response with that status. Undefined: it differs between responses. */
  readonly bytes?: Buffer;
}

interface Service {
  readonly url: string;
  readonly managementUrl: string;
}

/**
 * The requests of a customer's systems and of the systems around the service.
 * @param login the token request of the customer
 */
export async function customerCalls(service: Service, login: Call): Promise<Kind[]> {
  const token = tokenIn(await call(service.url, login));
  const get = (path: string, more: Call = {}): Call => ({ path, token, ...more });
  const compressed = { headers: { 'Accept-Encoding': 'gzip' } };
  const download = (name: string, how: Call) => learn(name, 'download', service.url, how);
  return [
    await download('GET /products', get('/products')),
    await download('GET /products, gzip', get('/products', compressed)),
    await download('GET /stock', get('/stock')),
    await download('GET /prices', get('/prices')),
    await unchanged(service.url, get('/products')),
    { name: 'POST /auth/token', needs: 'lookup', url: service.url, call: login, status: 200 },
    await learn('GET /api/version', 'count', service.url, get('/api/version')),
    await learn('GET /products/schema', 'count', service.url, get('/products/schema')),
    await learn('GET /health', 'probe', service.url, get('/health')),
    await learn('/readyz', 'probe', service.managementUrl, { path: '/readyz' }),
    await learn('/livez', 'nothing', service.managementUrl, { path: '/livez' }),
    { name: '/metrics', needs: 'metrics', url: service.managementUrl, call: { path: '/metrics' }, status: 200 },
  ];
}

/**
 * Sends a request and records its response as the usual one.
 * @throws if it has another status
 */
export async function learn(name: string, needs: Needs, url: string, how: Call, usual = 200): Promise<Kind> {
  const { status, bytes } = await call(url, how);
  if (status !== usual) throw new Error(`${name} returned ${status}: ${bytes.toString('utf8', 0, 300)}`);
  return { name, needs, url, call: how, status, bytes };
}

async function unchanged(url: string, how: Call): Promise<Kind> {
  const { etag } = (await call(url, how)).headers;
  const conditional = { ...how, headers: { 'If-None-Match': etag } };
  return { name: '304', needs: 'lookup', url, call: conditional, status: 304, bytes: Buffer.alloc(0) };
}

/**
 * Describes an outcome: the status; `aborted` if the client can detect that the response is incomplete; or a text with
 * `WRONG` if the response is neither the usual one nor a documented error (interface §5.8, §7).
 */
export function outcomeOf(kind: Kind, response: ReceivedResponse | Error): string {
  // instanceof does not work: Node's own errors are not of the realm that tests run in.
  if (!('status' in response)) return kind.needs === 'download' ? 'aborted' : `WRONG: ${response.message}`;
  const right = response.status === kind.status ? isUsual(kind, response) : isDocumentedError(kind, response);
  return right ? String(response.status) : `${response.status} WRONG: ${response.bytes.toString('utf8', 0, 100)}`;
}

function isUsual(kind: Kind, { bytes, body }: ReceivedResponse): boolean {
  if (kind.bytes) return bytes.equals(kind.bytes);
  return body.includes(kind.name === '/metrics' ? '\ncustomer_data_' : '"access_token":');
}

const UNEXPECTED = 'An unexpected error occurred. Try again later; quote the X-Request-Id if it persists.';

function isDocumentedError({ name }: Kind, { body, headers }: ReceivedResponse): boolean {
  if (name === 'GET /health') return body === 'Unhealthy' && headers['content-type'] === 'text/plain';
  if (name === '/readyz') return body.startsWith('{"status":"error"');
  const expected =
    name === 'POST /auth/token' ? { error: 'server_error', error_description: UNEXPECTED } : { error: UNEXPECTED };
  return body === JSON.stringify(expected) && headers['x-request-id'] !== undefined && headers.etag === undefined;
}
