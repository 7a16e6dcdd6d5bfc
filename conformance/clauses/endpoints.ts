import { type Clause, clause, holds, matches, notTestable, same } from '../clause.js';
import { jsonOf } from '../data.js';
import { ALL, DATA_PATHS, JSON_TYPE, VALIDATED } from '../endpoints.js';

interface Documented {
  get?: { responses: { 200: { content: object } } };
}

/** Headers that HEAD returns with the same value as GET. */
const SHARED_HEADERS = ['content-type', 'etag', 'cache-control', 'vary', 'content-encoding'];

/** §4: endpoints, their headers, and other methods and paths. */
export const ENDPOINTS: Clause[] = [
  ...ALL.map((path) =>
    clause(`§4 get-${path.slice(1)}`, `GET ${path} returns 200`, async (deployment) => {
      same('status', (await deployment.ask({ path })).status, 200);
    }),
  ),
  clause('§4 json', 'bodies are JSON in UTF-8, and the Content-Type states it', async (deployment) => {
    for (const path of VALIDATED) {
      const { headers, bytes } = await deployment.ask({ path });
      same(`Content-Type of ${path}`, headers['content-type'], JSON_TYPE);
      const text = new TextDecoder('utf-8', { ignoreBOM: true });
      holds(Buffer.from(text.decode(bytes)).equals(bytes), `UTF-8 from ${path}`, 'other bytes');
      matches(`first character of ${path}`, bytes.toString('utf8', 0, 1), /^[[{]$/);
    }
  }),
  clause(
    '§4 health',
    '/health returns the plain text Healthy and forbids caching (decision 12)',
    async (deployment) => {
      const { headers, bytes } = await deployment.ask({ path: '/health', as: 'anonymous' });
      same('body', bytes.toString(), 'Healthy');
      same('Content-Type', headers['content-type'], 'text/plain');
      same('Cache-Control', headers['cache-control'], 'no-store');
    },
  ),
  clause('§4 length', 'data is chunked or has its Content-Length (decision 132)', async (deployment) => {
    for (const path of DATA_PATHS) {
      const { headers, bytes } = await deployment.ask({ path });
      const isChunked = headers['transfer-encoding'] === 'chunked';
      const length = isChunked ? undefined : String(bytes.length);
      same(`Content-Length of ${path}`, headers['content-length'], length);
    }
  }),
  clause('§4 head', 'HEAD returns the status and headers of GET without a body (decision 34)', async (deployment) => {
    for (const path of ALL) {
      const [get, head] = [await deployment.ask({ path }), await deployment.ask({ path, method: 'HEAD' })];
      same(`status and body of HEAD ${path}`, [head.status, head.bytes.length], [get.status, 0]);
      for (const name of SHARED_HEADERS) same(`${name} of HEAD ${path}`, head.headers[name], get.headers[name]);
    }
  }),
  clause('§4 options', 'OPTIONS returns 405 and lists the methods in Allow (decision 34)', async (deployment) => {
    const { status, headers } = await deployment.ask({ path: '/products', method: 'OPTIONS' });
    same('status and Allow', [status, headers.allow], [405, 'GET, HEAD']);
  }),
  clause('§4 strict-paths', 'paths are case-sensitive and exact (decision 33)', async (deployment) => {
    for (const path of ['/Products', '/products/', '/HEALTH', '/api/version/'])
      same(`status of ${path}`, (await deployment.ask({ path })).status, 404);
  }),
  clause('§4 request-id-kept', 'a valid X-Request-Id of the request is returned (decision 16)', async (deployment) => {
    const id = `conformance.${'x'.repeat(110)}-_9`;
    const { headers } = await deployment.ask({ path: '/api/version', headers: { 'X-Request-Id': id } });
    same('X-Request-Id', headers['x-request-id'], id);
  }),
  clause('§4 request-id-made', 'an invalid X-Request-Id is replaced by a new one (decision 16)', async (deployment) => {
    const given = ['not sane', 'x'.repeat(129), 'a"b', ['two', 'of-them']];
    const made: unknown[] = [];
    for (const id of given) {
      const response = await deployment.ask({ path: '/api/version', headers: { 'X-Request-Id': id } });
      made.push(response.headers['x-request-id']);
      matches('X-Request-Id', made.at(-1), /^[A-Za-z0-9._-]{1,128}$/);
    }
    same('number of different ids', new Set(made).size, given.length);
  }),
  clause('§4.1 exact', '/products contains no product outside the price list', notTestable('needs the price list')),
  clause('§4.2 current', '/stock returns the current stock, not a cached one', notTestable('needs a change of stock')),
  clause(
    '§4.3 eligible',
    '/prices contains each priced product of the price list (decision 6)',
    notTestable('needs the price list'),
  ),
  clause(
    '§4 cut',
    'a response that cannot be finished is aborted (decisions 17, 51)',
    notTestable('needs a failure during a response'),
  ),
  clause('§2.10 version', '/api/version returns apiVersion only (§9.2)', async (deployment) => {
    const version = jsonOf(await deployment.ask({ path: '/api/version', as: 'anonymous' }));
    same('keys', Object.keys(version as object), ['apiVersion']);
  }),
  clause('§9.1 profile', 'the API profile is 2026-04', async (deployment) => {
    const { apiVersion } = jsonOf(await deployment.ask({ path: '/api/version', as: 'anonymous' })) as Record<
      string,
      unknown
    >;
    same('apiVersion', apiVersion, '2026-04');
  }),
  clause('§9.3 not-chosen', 'no path, parameter or header selects an API profile', async (deployment) => {
    same('status of /2026-04/stock', (await deployment.ask({ path: '/2026-04/stock' })).status, 404);
    const headers = { 'API-Version': '1999-01', 'Accept-Version': '1999-01' };
    const other = await deployment.ask({ path: '/api/version?apiVersion=1999-01', headers });
    same('body', jsonOf(other), jsonOf(await deployment.ask({ path: '/api/version' })));
  }),
  clause(
    '§9.6 additions',
    'additions do not make a new API profile (decision 13)',
    notTestable('concerns later releases'),
  ),
  clause('decision 28 public-port', 'the public port has no probes, metrics or documents', async (deployment) => {
    for (const path of ['/livez', '/readyz', '/metrics', '/openapi.json', '/docs'])
      same(`status of ${path}`, (await deployment.ask({ path })).status, 404);
  }),
  clause(
    'decision 28 management-port',
    'the management port has probes and metrics (decision 81)',
    async (deployment) => {
      for (const path of ['/livez', '/readyz', '/metrics']) {
        const { status, headers } = await deployment.probe(path);
        same(`status and quota of ${path}`, [status, headers['x-rate-limit-limit']], [200, undefined]);
      }
    },
  ),
  clause('decision 87', 'the management port describes the interface as OpenAPI', async (deployment) => {
    const { paths } = jsonOf(await deployment.probe('/openapi.json')) as { paths: Record<string, Documented> };
    same('paths', Object.keys(paths).toSorted(), [...ALL, '/auth/token'].toSorted());
    for (const path of DATA_PATHS) {
      const { content } = paths[path]!.get!.responses[200];
      same(`formats of ${path}, as client generators read them`, Object.keys(content), ['application/json']);
    }
  }),
  clause('decision 28 apart', 'the management port has no endpoint of the interface', async (deployment) => {
    for (const path of ALL) same(`status of ${path}`, (await deployment.probe(path)).status, 404);
  }),
];

/** Checks every response of the run, so it runs last. */
export const EVERY_RESPONSE: Clause[] = [
  clause('§4 request-id', 'every response has an X-Request-Id (decision 16)', ({ seen }) => {
    // A proxy may itself respond to invalid HTTP. The clauses of errors.ts check those responses.
    const without = seen.find(({ call, headers }) => !call.raw && !headers['x-request-id']);
    holds(
      !without,
      'an X-Request-Id',
      without && `${without.status} to ${without.call.method ?? 'GET'} ${without.call.path}`,
    );
  }),
];
