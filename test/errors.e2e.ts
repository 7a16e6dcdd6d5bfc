import { type IncomingHttpHeaders, request } from 'node:http';
import { connect } from 'node:net';
import { DATA, SCHEMAS } from './support/data-endpoints.js';
import { A, smallCatalogue } from './support/small-catalogue.js';
import { TestDatabase, TestService } from './support/test-service.js';

interface ReceivedResponse {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
}

const GET_PATHS = [...DATA, ...SCHEMAS, '/api/version', '/health'];
const JSON_TYPE = 'application/json; charset=utf-8';
const MALFORMED = '{"error":"The request is malformed."}';
const NOTHING_HERE = '{"error":"There is nothing at this path."}';
const UNEXPECTED = 'An unexpected error occurred. Try again later; quote the X-Request-Id if it persists.';

let service: TestService;
let token: string;
let key: string;

/** Issues the key before the service starts, because the CLI logs to the same log and must leave nothing in it. */
async function start(): Promise<void> {
  const database = await TestDatabase.create();
  await database.load(smallCatalogue);
  key = await database.cliOk('key', 'issue', A);
  service = await TestService.start({}, database);
  token = JSON.parse((await requestToken()).body).access_token;
}

/** Sends method, path, headers and body unchanged, with A's token. fetch would normalize or refuse some of them. */
function send(
  method: string,
  path: string,
  headers: Record<string, string> = {},
  body = '',
): Promise<ReceivedResponse> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(service.url);
    const all: Record<string, string> = { Authorization: `Bearer ${token}`, ...headers };
    if (body && !all['Transfer-Encoding']) all['Content-Length'] = String(Buffer.byteLength(body));
    const outgoing = request({ hostname, port, method, path, headers: all, agent: false }, (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('end', () => {
        const { statusCode = 0, headers: received } = incoming;
        resolve({ status: statusCode, headers: received, body: Buffer.concat(chunks).toString() });
      });
    });
    outgoing.on('error', reject).end(body);
  });
}

function requestToken(headers: Record<string, string> = {}): Promise<ReceivedResponse> {
  const form = new URLSearchParams({ grant_type: 'client_credentials', client_id: A, client_secret: key });
  return send('POST', '/auth/token', { 'Content-Type': 'application/x-www-form-urlencoded', ...headers }, `${form}`);
}

/** Writes bytes to a port, the public one by default, and reads until the service closes the connection. */
function sendRaw(text: string, url = service.url): Promise<ReceivedResponse> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () => socket.write(text, 'latin1'));
    socket.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', reject);
    socket.on('close', () => {
      const [head = '', body = ''] = Buffer.concat(chunks)
        .toString('latin1')
        .split(/\r\n\r\n(.*)/s);
      const [status = '', ...lines] = head.split('\r\n');
      const headers = lines.map((line) => line.split(/: (.*)/, 2) as [string, string]);
      const lower = headers.map(([name, value]) => [name.toLowerCase(), value]);
      resolve({ status: Number(status.split(' ')[1]), headers: Object.fromEntries(lower), body });
    });
  });
}

/** Expects an error with exactly this JSON body and a request ID, and without headers that name the software. */
function expectError(
  response: ReceivedResponse,
  status: number,
  body: string,
  headers: IncomingHttpHeaders = {},
): void {
  expect({ status: response.status, body: response.body }).toEqual({ status, body });
  expect(response.headers).toMatchObject({
    'content-type': JSON_TYPE,
    'x-request-id': expect.stringMatching(/^[\w.-]{1,128}$/),
    ...headers,
  });
  for (const name of ['x-powered-by', 'server', 'etag']) expect(response.headers).not.toHaveProperty(name);
}

beforeAll(start);
afterAll(() => service.close());

const UNKNOWN = `
  / /auth /api /token /livez /metrics /favicon.ico /.env /{*path} /* /products/ /products/schema/ /auth/token/ /health/
  /Products /PRODUCTS /api/Version //products /products//schema // /products/SHOP-A /products;x /products/schema/x
  /products%20 /%70roducts /products%2Fschema /products%00 /products%3Fx /%2e/products /%C3%A9 /./products
  /x/../products /products/../stock /products/. /../products /products\\
  /% /%ZZ /products% /products/%E0%A4%A /%FF /auth/token/%C0%AF`;
test.each(UNKNOWN.trim().split(/\s+/))(
  'GET %s returns 404, because paths must match exactly (interface §4, decision 16)',
  async (path) => {
    expectError(await send('GET', path), 404, NOTHING_HERE);
  },
);

test.each(['POST', 'PUT', 'DELETE', 'OPTIONS'])('%s on an unknown path returns 404 (decision 16)', async (method) => {
  expectError(await send(method, '/nothing', {}, 'x'), 404, NOTHING_HERE);
});

describe.each(GET_PATHS)('%s', (path) => {
  test.each(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'PURGE'])(
    'returns 405 with Allow for %s (decision 16)',
    async (method) => {
      const body = '{"error":"This path does not support that method; it supports GET, HEAD."}';
      expectError(await send(method, path), 405, body, { allow: 'GET, HEAD' });
      expectError(await send(method, path, { Authorization: '' }, 'x'), 405, body, { allow: 'GET, HEAD' });
    },
  );

  test('returns 200 for HEAD with the Content-Type of GET and no body (interface §4, faults.md)', async () => {
    const head = `HEAD ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nConnection: close\r\n\r\n`;
    const { status, headers, body } = await sendRaw(head);
    const get = await send('GET', path);
    expect([status, headers['content-type'], body]).toEqual([200, get.headers['content-type'], '']);
    for (const response of [headers, get.headers]) expect(response).not.toHaveProperty('x-powered-by');
  });

  test('ignores queries and bodies (interface §4, decision 11)', async () => {
    const { status, headers, body } = await send('GET', path);
    expect(status).toBe(200);
    for (const query of '? ?x=1 ?limit=0&page=9 ?SKU=SHARED ?a[]=1&__proto__[a]=1 ?%ZZ ?? ?a=%00'.split(' ')) {
      const response = await send('GET', path + query);
      expect([query, response.status, response.body]).toEqual([query, status, body]);
    }
    const bodies: [string, string, Record<string, string>?][] = [
      ['{"x":', 'application/json'],
      ['x=1&x=2', 'application/x-www-form-urlencoded'],
      ['no gzip', 'text/plain', { 'Content-Encoding': 'gzip' }],
      ['x'.repeat(3_000_000), 'no type'],
      ['{"x":1}', 'application/json', { 'Transfer-Encoding': 'chunked' }],
    ];
    for (const [text, type, more] of bodies) {
      const response = await send('GET', path, { 'Content-Type': type, ...more }, text);
      expect([type, response.status, response.body]).toEqual([type, status, body]);
      expect(response.headers['content-type']).toBe(headers['content-type']);
    }
  });
});

const OTHERS = ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND'];
const TOKEN_405 = `{"error":"invalid_request","error_description":"This path does not support that method; it supports POST."}`;
test.each(OTHERS)('%s /auth/token returns 405 with Allow and an RFC 6749 body (decisions 14, 16)', async (method) => {
  const headers = { allow: 'POST', 'cache-control': 'no-store', pragma: 'no-cache' };
  expectError(await send(method, '/auth/token'), 405, method === 'HEAD' ? '' : TOKEN_405, headers);
});

test.each([
  ['DELETE', '/auth/token', 405, TOKEN_405],
  ['POST', '/auth/token/', 404, NOTHING_HERE],
  ['POST', '/auth/token/x', 404, NOTHING_HERE],
])('%s %s with a large body that is not read returns %i (decision 16)', async (method, path, status, body) => {
  expectError(await send(method, path, {}, 'x'.repeat(20_000)), status, body);
});

describe('X-Request-Id (decision 16)', () => {
  test.each(['a', 'A-b_c.9', '0b0e7b5c-8a0e-4c55-9f0a-6f3f6f9d2c11', 'x'.repeat(128)])('%s is returned', async (id) => {
    for (const path of [...GET_PATHS, '/nothing', '/auth/token'])
      expect([path, (await send('GET', path, { 'X-Request-Id': id })).headers['x-request-id']]).toEqual([path, id]);
  });

  test.each(['', 'a b', 'a\tb', 'é', '"a"', 'a,b', 'a;b', '<a>', '${a}', 'a/b', 'a\\b', "a'b", 'x'.repeat(129)])(
    '"%s" is replaced by a new ID each time',
    async (id) => {
      const responses = [
        await send('GET', '/health', { 'X-Request-Id': id }),
        await send('GET', '/health', { 'X-Request-Id': id }),
      ];
      const [first, second] = responses.map(({ headers }) => headers['x-request-id']);
      for (const made of [first, second]) expect(made).toMatch(/^[\w-]{16,}$/);
      expect(first).not.toBe(second);
    },
  );

  test('sent twice is replaced', async () => {
    const { headers } = await sendRaw(
      'GET /health HTTP/1.1\r\nHost: x\r\nX-Request-Id: a\r\nX-Request-Id: b\r\nConnection: close\r\n\r\n',
    );
    expect(headers['x-request-id']).toMatch(/^[\w-]{16,}$/);
  });
});

const OK = 'Host: x\r\nConnection: close\r\n';
test.each<[string, number, string]>([
  ['bytes that are not HTTP', 400, 'GARBAGE\r\n\r\n'],
  ['a TLS handshake', 400, '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
  ['HTTP/2 without TLS', 400, 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ['an unknown HTTP version', 400, `GET /health HTTP/9.9\r\n${OK}\r\n`],
  ['an unknown method', 400, `BREW /health HTTP/1.1\r\n${OK}\r\n`],
  ['a request without a path', 400, `GET  HTTP/1.1\r\n${OK}\r\n`],
  ['a path without a slash', 400, `GET health HTTP/1.1\r\n${OK}\r\n`],
  ['a request without Host', 400, 'GET /health HTTP/1.1\r\nConnection: close\r\n\r\n'],
  ['a control character in a header', 400, `GET /health HTTP/1.1\r\nX-Request-Id: a\x01b\r\n${OK}\r\n`],
  ['a request with two Hosts', 400, `GET /health HTTP/1.1\r\nHost: y\r\n${OK}\r\n`],
  ['a header without a colon', 400, `GET /health HTTP/1.1\r\nnonsense\r\n${OK}\r\n`],
  [
    'a request with two lengths',
    400,
    `POST /auth/token HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n${OK}\r\nab`,
  ],
  [
    'a request with a length and chunks',
    400,
    `POST /auth/token HTTP/1.1\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n${OK}\r\n0\r\n\r\n`,
  ],
  ['invalid chunks', 400, `POST /auth/token HTTP/1.1\r\nTransfer-Encoding: chunked\r\n${OK}\r\nzz\r\n`],
  ['headers of more than 16 kB', 431, `GET /health HTTP/1.1\r\nX: ${'x'.repeat(17_000)}\r\n${OK}\r\n`],
  ['a path of more than 16 kB', 431, `GET /${'x'.repeat(17_000)} HTTP/1.1\r\n${OK}\r\n`],
])('the response to %s is %i as JSON with a request ID (decisions 14, 16)', async (_name, status, text) => {
  expectError(await sendRaw(text), status, MALFORMED);
});

test.each([
  ['*', 404, NOTHING_HERE],
  ['http://x', 404, NOTHING_HERE],
  ['http://[/products', 400, MALFORMED],
])('the request target "%s" returns %i as JSON with a request ID (decision 16)', async (target, status, body) => {
  expectError(await sendRaw(`OPTIONS ${target} HTTP/1.1\r\n${OK}\r\n`), status, body);
});

const remaining = ({ headers }: ReceivedResponse) => Number(headers['x-rate-limit-remaining']);

describe('for requests that Node does not dispatch itself,', () => {
  test.each([
    ['alone', ''],
    ['with bytes after it', '\x16\x03\x01'],
    ['with a request after it', `GET /health HTTP/1.1\r\n${OK}\r\n`],
  ])(
    'CONNECT %s returns 404, because it names no path, and counts (interface §8.2, decisions 16, 107)',
    async (_name, behind) => {
      const before = remaining(await sendRaw(`GET /health HTTP/1.1\r\n${OK}\r\n`));
      const response = await sendRaw(`CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n${behind}`);
      expectError(response, 404, NOTHING_HERE, { connection: 'close' });
      expect(remaining(response)).toBe(before - 1);
    },
  );

  test('a pipelined CONNECT gets its response after the response to the previous request (decision 107)', async () => {
    const { status, body } = await sendRaw(
      'GET /api/version HTTP/1.1\r\nHost: x\r\n\r\nCONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n',
    );
    expect(status).toBe(200);
    expect(body).toMatch(/^\{"apiVersion":"[^"]+"\}HTTP\/1\.1 404 /);
  });

  test.each([
    ['/products', '{"error":"This path does not support that method; it supports GET, HEAD."}', 'GET, HEAD'],
    ['/auth/token', TOKEN_405, 'POST'],
  ])('CONNECT with the known path %s returns 405 with Allow (decisions 16, 107)', async (path, body, allow) => {
    expectError(await sendRaw(`CONNECT ${path} HTTP/1.1\r\n${OK}\r\n`), 405, body, { allow });
  });

  test('CONNECT without a Host header returns 400 (decisions 16, 107)', async () => {
    expectError(await sendRaw('CONNECT x:1 HTTP/1.1\r\n\r\n'), 400, MALFORMED);
  });

  test('CONNECT on the management port also gets a response (decision 107)', async () => {
    const { status } = await sendRaw(`CONNECT x:1 HTTP/1.1\r\n${OK}\r\n`, service.managementUrl);
    expect(status).toBe(404);
  });

  test.each(['websocket', 'h2c', 'TLS/1.0'])(
    'a request to upgrade to %s gets an ordinary response, and counts (decision 107)',
    async (to) => {
      const upgrade = `GET /health HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: ${to}\r\n\r\n`;
      const { status, headers, body } = await sendRaw(`${upgrade}GET /api/version HTTP/1.1\r\n${OK}\r\n`);
      expect([status, body.slice(0, 20)]).toEqual([200, 'HealthyHTTP/1.1 200 ']);
      const [, next] = /X-Rate-Limit-Remaining: (\d+)/i.exec(body)!;
      expect(Number(next)).toBe(Number(headers['x-rate-limit-remaining']) - 1);
    },
  );
});

test('an unknown Expect header returns 417 as JSON with a request ID (decisions 14, 16)', async () => {
  const response = await sendRaw(`GET /health HTTP/1.1\r\nExpect: nonsense\r\n${OK}\r\n`);
  expectError(response, 417, MALFORMED);
});

describe('an unexpected error returns 500, with the details only in the log under the request ID (decision 16)', () => {
  // This block must be the last one, because the service does not work afterwards.
  beforeAll(() => service.database.sql('ALTER TABLE customers RENAME TO customers_gone'));

  test.each(DATA)('for GET %s', async (path) => {
    const id = `lost${path.replace('/', '-')}`;
    expectError(await send('GET', path, { 'X-Request-Id': id }), 500, JSON.stringify({ error: UNEXPECTED }), {
      'x-request-id': id,
    });
    const line = service.log.find((entry) => entry.includes(id));
    expect(line).toMatch(/customers/);
    // The log also contains the stack.
    expect(line).toMatch(/\n\s+at /);
  });

  test('for POST /auth/token, with an RFC 6749 body and no-store', async () => {
    const body = JSON.stringify({ error: 'server_error', error_description: UNEXPECTED });
    const headers = { 'x-request-id': 'lost-token', 'cache-control': 'no-store', pragma: 'no-cache' };
    expectError(await requestToken({ 'X-Request-Id': 'lost-token' }), 500, body, headers);
    expect(service.log.find((entry) => entry.includes('lost-token'))).toMatch(/customers/);
  });

  test('and the log contains a new ID if the client sent an invalid one', async () => {
    const { headers } = await send('GET', '/prices', { 'X-Request-Id': 'forged entry' });
    expect(service.log.join('\n')).not.toContain('forged entry');
    expect(service.log.some((entry) => entry.includes(String(headers['x-request-id'])))).toBe(true);
  });
});
