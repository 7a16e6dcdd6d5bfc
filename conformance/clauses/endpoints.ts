import { type Clause, clause, holds, matches, notTestable, same } from '../clause.js';
import { jsonOf } from '../data.js';
import { ALL, DATA_PATHS, JSON_TYPE, VALIDATED } from '../endpoints.js';

/** What HEAD has to tell as GET does. */
const DESCRIBING = ['content-type', 'etag', 'cache-control', 'vary', 'content-encoding'];

/** §4: each endpoint, its headers, and what holds for the methods and paths around them. */
export const ENDPOINTS: Clause[] = [
  ...ALL.map((path) =>
    clause(`§4 get-${path.slice(1)}`, `GET ${path} is answered 200`, async (deployment) => {
      same('status', (await deployment.ask({ path })).status, 200);
    }),
  ),
  clause('§4 json', 'bodies are JSON in UTF-8, and say so', async (deployment) => {
    for (const path of VALIDATED) {
      const { headers, bytes } = await deployment.ask({ path });
      same(`Content-Type of ${path}`, headers['content-type'], JSON_TYPE);
      const text = new TextDecoder('utf-8', { ignoreBOM: true });
      holds(Buffer.from(text.decode(bytes)).equals(bytes), `UTF-8 from ${path}`, 'other bytes');
      matches(`first character of ${path}`, bytes.toString('utf8', 0, 1), /^[[{]$/);
    }
  }),
  clause('§4 health', '/health is the plain text Healthy, which nobody keeps (decision 12)', async (deployment) => {
    const { headers, bytes } = await deployment.ask({ path: '/health', as: 'nobody' });
    same('body', bytes.toString(), 'Healthy');
    same('Content-Type', headers['content-type'], 'text/plain');
    same('Cache-Control', headers['cache-control'], 'no-store');
  }),
  clause('§4 length', 'data comes in chunks, or with its Content-Length (decision 132)', async (deployment) => {
    for (const path of DATA_PATHS) {
      const { headers, bytes } = await deployment.ask({ path });
      const isChunked = headers['transfer-encoding'] === 'chunked';
      const length = isChunked ? undefined : String(bytes.length);
      same(`Content-Length of ${path}`, headers['content-length'], length);
    }
  }),
  clause('§4 head', 'HEAD is answered as GET is, without a body (decision 34)', async (deployment) => {
    for (const path of ALL) {
      const [get, head] = [await deployment.ask({ path }), await deployment.ask({ path, method: 'HEAD' })];
      same(`status and body of HEAD ${path}`, [head.status, head.bytes.length], [get.status, 0]);
      for (const name of DESCRIBING) same(`${name} of HEAD ${path}`, head.headers[name], get.headers[name]);
    }
  }),
  clause('§4 options', 'OPTIONS is 405 and tells the methods (decision 34)', async (deployment) => {
    const { status, headers } = await deployment.ask({ path: '/products', method: 'OPTIONS' });
    same('status and Allow', [status, headers.allow], [405, 'GET, HEAD']);
  }),
  clause('§4 strict-paths', 'paths are compared to the letter (decision 33)', async (deployment) => {
    for (const path of ['/Products', '/products/', '/HEALTH', '/api/version/'])
      same(`status of ${path}`, (await deployment.ask({ path })).status, 404);
  }),
  clause('§4 request-id-kept', 'a sane X-Request-Id is kept (decision 16)', async (deployment) => {
    const id = `conformance.${'x'.repeat(110)}-_9`;
    const { headers } = await deployment.ask({ path: '/api/version', headers: { 'X-Request-Id': id } });
    same('X-Request-Id', headers['x-request-id'], id);
  }),
  clause('§4 request-id-made', 'another one is replaced, each time by a new one (decision 16)', async (deployment) => {
    const given = ['not sane', 'x'.repeat(129), 'a"b', ['two', 'of-them']];
    const made: unknown[] = [];
    for (const id of given) {
      const response = await deployment.ask({ path: '/api/version', headers: { 'X-Request-Id': id } });
      made.push(response.headers['x-request-id']);
      matches('X-Request-Id', made.at(-1), /^[A-Za-z0-9._-]{1,128}$/);
    }
    same('number of different ids', new Set(made).size, given.length);
  }),
  clause('§4.1 exact', 'no product is outside of the price list', notTestable('needs to know the price list')),
  clause('§4.2 current', 'stock is that of now, from no cache', notTestable('needs a change of stock')),
  clause(
    '§4.3 eligible',
    'each priced product has its price (decision 6)',
    notTestable('needs to know the price list'),
  ),
  clause('§4 cut', 'an answer that cannot be finished is cut (decisions 17, 51)', notTestable('needs a failure in it')),
  clause('§2.10 version', '/api/version has the profile, and only that (§9.2)', async (deployment) => {
    const version = jsonOf(await deployment.ask({ path: '/api/version', as: 'nobody' }));
    same('keys', Object.keys(version as object), ['apiVersion']);
  }),
  clause('§9.1 profile', 'the profile is 2026-04', async (deployment) => {
    const { apiVersion } = jsonOf(await deployment.ask({ path: '/api/version', as: 'nobody' })) as Record<
      string,
      unknown
    >;
    same('apiVersion', apiVersion, '2026-04');
  }),
  clause('§9.3 not-chosen', 'no path and no header chooses a profile', async (deployment) => {
    same('status of /2026-04/stock', (await deployment.ask({ path: '/2026-04/stock' })).status, 404);
    const headers = { 'API-Version': '1999-01', 'Accept-Version': '1999-01' };
    const other = await deployment.ask({ path: '/api/version?apiVersion=1999-01', headers });
    same('answer', jsonOf(other), jsonOf(await deployment.ask({ path: '/api/version' })));
  }),
  clause('§9.6 additions', 'additions are no new profile (decision 13)', notTestable('is about later releases')),
  clause(
    'decision 28 public-port',
    'the public port has neither probes nor metrics nor documents',
    async (deployment) => {
      for (const path of ['/livez', '/readyz', '/metrics', '/openapi.json', '/docs'])
        same(`status of ${path}`, (await deployment.ask({ path })).status, 404);
    },
  ),
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
  clause('decision 87', 'it describes the interface as OpenAPI', async (deployment) => {
    const { paths } = jsonOf(await deployment.probe('/openapi.json')) as { paths: object };
    same('paths', Object.keys(paths).toSorted(), [...ALL, '/auth/token'].toSorted());
  }),
  clause('decision 28 apart', 'the management port answers no data', async (deployment) => {
    for (const path of ALL) same(`status of ${path}`, (await deployment.probe(path)).status, 404);
  }),
];

/** What is said of every answer: looked at when all of them are there. */
export const EVERY_ANSWER: Clause[] = [
  clause('§4 request-id', 'every answer has an X-Request-Id (decision 16)', ({ seen }) => {
    // What is no good HTTP may be answered by something before the service: its own clauses tell of that.
    const without = seen.find(({ call, headers }) => !call.raw && !headers['x-request-id']);
    holds(
      !without,
      'an X-Request-Id',
      without && `${without.status} to ${without.call.method ?? 'GET'} ${without.call.path}`,
    );
  }),
];
