import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Call, call, tokenCall, tokenIn } from './support/http-call.js';
import { ServiceProcess } from './support/service-process.js';
import { engine, TestDatabase } from './support/test-service.js';
import { loadVersion, SlowDownload } from './support/versioned-catalogue.js';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const JWT_SECRET = 'a-signing-secret-of-the-request-log-suite';
const PLENTY = { REQUESTS_PER_MINUTE: '1000000', REQUESTS_PER_HOUR: '1000000' };

let database: TestDatabase;
let service: ServiceProcess;
let url: string;
let key: string;

beforeAll(async () => {
  database = await TestDatabase.create();
  await loadVersion(database, 1);
  key = await database.cliOk('key', 'issue', 'C');
});
afterEach(() => service.stop('SIGKILL'));
afterAll(() => database.drop());

async function start(environment: Record<string, string> = {}): Promise<void> {
  const own = { DATABASE_URL: database.url, DEMO_DATA: 'false', LOG_FORMAT: 'json', JWT_SECRET };
  service = ServiceProcess.start({ ...own, ...environment }, database.folder);
  ({ url } = await service.ports());
  await service.printing(/The database is ready/);
}

const identified = (id: string) => ({ headers: { 'X-Request-Id': id } });
const token = async () => tokenIn(await call(url, tokenCall('C', key)));

/** Returns the log records of one request once the last one is there. */
async function recordsOf(id: string): Promise<Record<string, unknown>[]> {
  await service.printing(new RegExp(`"context":"Request".*"requestId":"${id}".*\\n`));
  return service.log.filter(({ requestId }) => requestId === id);
}

describe('the log line of a request (decision 84)', () => {
  test('has all fields for a request of a customer', async () => {
    await start();
    const access = await token();
    const response = await call(url, { path: '/stock?q=x', token: access, ...identified('of-a-customer') });
    const [record, ...more] = await recordsOf('of-a-customer');
    expect(more).toEqual([]);
    expect(record).toEqual({
      level: 'info',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      context: 'Request',
      requestId: 'of-a-customer',
      method: 'GET',
      route: '/stock',
      status: 200,
      milliseconds: expect.any(Number),
      bytes: expect.any(Number),
      ended: 'complete',
      address: '127.0.0.1',
      customer: 'C',
      keyId: 1,
      bucket: 'customer',
      etag: response.headers.etag,
      message: expect.stringMatching(/^GET \/stock 200, \d+ ms, \d+ bytes, C, key 1, 127\.0\.0\.1, of-a-customer$/),
    });
    expect(response.headers.etag).toMatch(/^".+"$/);
    await call(url, {
      path: '/stock',
      token: access,
      headers: { 'X-Request-Id': 'unchanged', 'If-None-Match': response.headers.etag },
    });
    expect(await recordsOf('unchanged')).toMatchObject([{ status: 304, etag: response.headers.etag }]);
    expect(record!.bytes).toBeGreaterThan(response.bytes.length);
    expect(Math.abs(Date.parse(String(record!.time)) - Date.now())).toBeLessThan(60_000);
  });

  test('contains no input of the client, except for the client ID of a failed login', async () => {
    await start(PLENTY);
    const cases: [string, Record<string, unknown>, Call][] = [
      ['no-token', { route: '/products', status: 401 }, { path: '/products' }],
      ['no-such-token', { route: '/prices', status: 401 }, { path: '/prices', token: `${key}.x.y` }],
      ['no-such-path', { route: 'other', status: 404 }, { path: `/${key}?key=${key}` }],
      ['no-such-method', { route: '/stock', method: 'DELETE', status: 405 }, { method: 'DELETE', path: '/stock' }],
      ['no-body', { route: '/api/version', method: 'HEAD', status: 200 }, { method: 'HEAD' }],
      ['no-sense', { route: 'other', status: 400 }, { setHost: false }],
      ['wrong-secret', { route: '/auth/token', method: 'POST', status: 401 }, tokenCall('C', `${key}x`)],
      ['not-a-form', { route: '/auth/token', method: 'POST', status: 400 }, { ...tokenCall('C', key), headers: {} }],
    ];
    for (const [id, expected, sent] of cases) {
      const headers = { ...sent.headers, 'X-Request-Id': id, traceparent: `00-${key}-${TRACE}-01` };
      await call(url, { ...sent, headers });
      const [record] = await recordsOf(id);
      expect(record).toMatchObject({ method: 'GET', bucket: 'anonymous', level: 'info', ...expected });
      for (const absent of ['customer', 'keyId', 'traceId']) expect(record).not.toHaveProperty(absent);
    }
    const login = tokenCall('C', key);
    const access = tokenIn(await call(url, { ...login, headers: { ...login.headers, 'X-Request-Id': 'login' } }));
    expect(await recordsOf('login')).toMatchObject([{ status: 200, customer: 'C', keyId: 1, bucket: 'customer' }]);
    expect((await recordsOf('login'))[0]).not.toHaveProperty('unprovenClientId');
    for (const secret of [key, access, JWT_SECRET]) expect(service.output).not.toContain(secret);
  });

  test('names the window and is no error if a quota refused the request', async () => {
    await start({ REQUESTS_PER_MINUTE: '1' });
    await call(url);
    await call(url, identified('refused'));
    expect(await recordsOf('refused')).toMatchObject([
      { level: 'info', status: 429, refusedBy: '1m', bucket: 'anonymous', ended: 'complete' },
    ]);
    expect(service.log.filter(({ level }) => level === 'error')).toEqual([]);
  });

  test('has the request ID of the response if the bytes were not HTTP', async () => {
    await start();
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () => socket.write(`${key}\r\n\r\n`));
    let text = '';
    for await (const piece of socket) text += piece;
    const [, id] = /X-Request-Id: (\S+)/.exec(text)!;
    const [record, ...more] = await recordsOf(id!);
    expect(more).toEqual([]);
    const expected = { route: 'other', method: 'other', status: 400, bytes: text.length, address: '127.0.0.1' };
    expect(record).toMatchObject(expected);
    expect(record).not.toHaveProperty('bucket');
    expect(service.output).not.toContain(key);
  });

  test('shows that the client disconnected, and is missing for a request that was still waiting (decision 106)', async () => {
    await start(PLENTY);
    const head = `Host: x\r\nAuthorization: Bearer ${await token()}\r\nX-Request-Id`;
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.write(`GET /products HTTP/1.1\r\n${head}: left\r\n\r\nGET /api/version HTTP/1.1\r\n${head}: behind\r\n\r\n`);
    await once(socket, 'readable');
    await sleep(200);
    socket.destroy();
    expect(await recordsOf('left')).toMatchObject([{ route: '/products', status: 200, ended: 'left', customer: 'C' }]);
    await sleep(200);
    expect(service.output).not.toContain('behind');
    expect(service.log.filter(({ level }) => level === 'error')).toEqual([]);
  });

  test.each([['stall', { DOWNLOAD_STALL_SECONDS: '1' }]])(
    'shows the abort reason %s, and another line explains it',
    async (abortReason, limits) => {
      await start({ ...PLENTY, ...limits });
      const download = await SlowDownload.begin(url, '/products', await token(), '1.1', 'X-Request-Id: aborted');
      const [why, request] = await recordsOf('aborted');
      expect(why).toMatchObject({
        level: 'error',
        context: 'DownloadService',
        message: expect.stringContaining('aborted: '),
      });
      expect(request).toMatchObject({ level: 'info', status: 200, ended: 'aborted', abortReason });
      download.abort();
    },
  );

  test('is the only line that LOG_REQUESTS=false omits', async () => {
    await start({ LOG_REQUESTS: 'false' });
    await call(url);
    expect(await service.stop()).toBe(0);
    expect(service.log.map(({ context }) => context)).not.toContain('Request');
    expect(service.log.map(({ message }) => message).join('\n')).toMatch(/Listening on port [^]*Shutting down/);
  });

  test('is a single line of text with LOG_FORMAT=text', async () => {
    await start({ LOG_FORMAT: 'text' });
    await call(url, { path: '/products?x=%0AFORGED', ...identified('in-words') });
    const pattern =
      /^\S+Z INFO  \[Request\] GET \/products 401, \d+ ms, \d+ bytes, anonymous, 127\.0\.0\.1, in-words$/m;
    await service.printing(pattern);
    expect(service.output).not.toContain('FORGED');
  });
});

/** A token request whose fields, Basic credentials or other headers contain the wrong values. */
function loginOf(fields: Record<string, string>, headers: Record<string, string> = {}): Call {
  const form = { grant_type: 'client_credentials', ...fields };
  const { headers: type, ...request } = tokenCall('', '');
  return { ...request, headers: { ...type, ...headers }, body: `${new URLSearchParams(form)}` };
}
const basic = (id: string, secret: string) => ({
  Authorization: `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString('base64')}`,
});

describe('the log line of a failed login (decision 210)', () => {
  let failures: Record<string, unknown>[];
  /** Sends the request and returns its record. */
  async function failed(id: string, sent: Call): Promise<Record<string, unknown>> {
    await call(url, { ...sent, headers: { ...sent.headers, 'X-Request-Id': id } });
    const [record] = await recordsOf(id);
    failures.push(record!);
    return record!;
  }
  beforeEach(() => void (failures = []));

  test('has the client ID as sent, marked as unproven, and the address', async () => {
    await start(PLENTY);
    const wrong = `${key}x`;
    const cases: [string, Call, Record<string, unknown>][] = [
      ['wrong-key', loginOf({ client_id: 'C', client_secret: wrong }), { status: 401, unprovenClientId: 'C' }],
      ['wrong-code', loginOf({ client_id: 'c ', client_secret: key }), { status: 401, unprovenClientId: 'c ' }],
      ['basic', loginOf({}, basic('Ü:1', wrong)), { status: 401, unprovenClientId: 'Ü:1' }],
      ['no-secret', loginOf({ client_id: 'C' }), { status: 400, unprovenClientId: 'C' }],
      ['wrong-grant', loginOf({ client_id: 'C', client_secret: key, grant_type: 'x' }), { unprovenClientId: 'C' }],
      [
        'forged',
        loginOf({ client_id: 'C\n{"x":1}\u202e', client_secret: wrong }),
        { unprovenClientId: 'C\\u{a}{"x":1}\\u{202e}' },
      ],
    ];
    for (const [id, sent, expected] of cases) {
      const record = await failed(id, sent);
      expect(record).toMatchObject({ ...expected, address: '127.0.0.1', bucket: 'anonymous', level: 'info' });
      expect(record).not.toHaveProperty('customer');
      expect(record.message).toContain(`unproven client_id ${JSON.stringify(record.unprovenClientId)}, 127.0.0.1, `);
    }
    for (const id of ['no-client-id', 'not-utf-8'])
      expect(await failed(id, { ...loginOf({}), body: id === 'not-utf-8' ? 'client_id=%ff' : 'x' })).not.toHaveProperty(
        'unprovenClientId',
      );
  });

  test('contains no secret if a client puts secrets into wrong fields', async () => {
    await start({ ...PLENTY, TRUSTED_PROXIES: '127.0.0.1' });
    const access = await token();
    const requests = [key, access, JWT_SECRET].flatMap((secret): Call[] => [
      loginOf({ client_id: secret, client_secret: 'C' }),
      loginOf({ client_id: secret, client_secret: secret, grant_type: secret }),
      loginOf({ client_id: `C:${secret}`, client_secret: key }),
      loginOf({ client_id: ` ${secret.slice(0, 20)} ${secret.slice(20)}`, client_secret: key }),
      loginOf({ client_id: `${secret}\n`.repeat(50), client_secret: key }),
      loginOf({ client_id: 'C', client_secret: secret, [secret]: secret }),
      loginOf(
        { client_id: 'C', client_secret: key },
        { 'X-Forwarded-For': secret, 'User-Agent': secret, Referer: secret },
      ),
      loginOf({}, basic(secret, 'C')),
      loginOf({ client_id: secret }, basic('C', secret)),
      loginOf({}, { Authorization: `Basic ${secret}` }),
      loginOf({}, { Authorization: `Bearer ${secret}` }),
      { ...loginOf({}), body: secret },
      { ...loginOf({}), path: `/auth/token?client_id=${encodeURIComponent(secret)}` },
    ]);
    for (const [index, sent] of requests.entries()) await failed(`secret-${index}`, sent);
    for (const secret of [key, access, JWT_SECRET]) {
      expect(service.output).not.toContain(secret);
      for (const part of [secret.slice(0, 20), secret.slice(20)]) expect(service.output).not.toContain(part);
    }
    const digest = createHash('sha256').update(key).digest('hex').slice(0, 12);
    expect(failures[0]!.unprovenClientId).toBe(`44 characters, SHA-256 ${digest}…`);
    const [stored] = await database.sql('SELECT CustomerCode FROM api_keys WHERE Digest LIKE ?', [`${digest}%`]);
    expect(stored).toEqual({ CustomerCode: 'C' });
    for (const { message } of failures) expect(String(message).length).toBeLessThan(300);
  });
});

const forwarded = (id: string, value: string) => ({ headers: { 'X-Request-Id': id, 'X-Forwarded-For': value } });

describe('the address in the log (decision 210)', () => {
  test('is that of the connection unless the connection is from a trusted proxy', async () => {
    await start({ ...PLENTY, TRUSTED_PROXIES: '10.0.0.0/8, 192.0.2.1' });
    await call(url, forwarded('untrusted', '203.0.113.7'));
    expect(await recordsOf('untrusted')).toMatchObject([{ address: '127.0.0.1' }]);
  });

  test('is the last address that no trusted proxy has', async () => {
    await start({ ...PLENTY, TRUSTED_PROXIES: '127.0.0.0/8,10.0.0.0/8,::1' });
    const cases = [
      ['one', '203.0.113.7', '203.0.113.7'],
      ['v6', '2001:db8::7', '2001:db8::7'],
      ['mapped', '::ffff:203.0.113.7', '203.0.113.7'],
      ['chain', '198.51.100.1, 203.0.113.7, 10.1.2.3', '203.0.113.7'],
      ['all-trusted', '10.9.9.9, 10.1.2.3', '10.9.9.9'],
      ['long-chain', `203.0.113.7${', 10.1.2.3'.repeat(9)}`, '203.0.113.7'],
      ['too-long-chain', `203.0.113.7, 10.9.9.9${', 10.1.2.3'.repeat(9)}`, '10.9.9.9'],
      ['no-address', 'unknown', '127.0.0.1'],
      ['zone', 'fe80::1%x', 'fe80::1'],
      ['secret', 'A-SECRET', '127.0.0.1'],
      ['empty', '', '127.0.0.1'],
    ] as const;
    for (const [id, value, address] of cases) {
      await call(url, forwarded(id, value));
      expect(await recordsOf(id)).toMatchObject([{ requestId: id, address }]);
    }
  });

  test('changes neither identity nor quota', async () => {
    await start({ TRUSTED_PROXIES: '127.0.0.1', REQUESTS_PER_MINUTE: '2' });
    const statuses = [];
    for (const part of [1, 2, 3]) statuses.push((await call(url, forwarded(`${part}`, `203.0.113.${part}`))).status);
    expect(statuses).toEqual([200, 200, 429]);
  });
});

describe('the log (decisions 16, 31, 84)', () => {
  test('contains an error with its stack and the request as an error, under one ID and one trace ID (decision 194)', async () => {
    await start(PLENTY);
    const access = await token();
    await database.sql('ALTER TABLE customers RENAME TO customers_gone');
    try {
      const headers = { 'X-Request-Id': 'failed', traceparent: `00-${TRACE}-00f067aa0ba902b7-00` };
      await call(url, { path: '/stock', token: access, headers });
      const login = tokenCall('C', key);
      await call(url, { ...login, headers: { ...login.headers, 'X-Request-Id': 'failed-login' } });
    } finally {
      await database.sql('ALTER TABLE customers_gone RENAME TO customers');
    }
    for (const [id, route] of [
      ['failed', '/stock'],
      ['failed-login', '/auth/token'],
    ] as const) {
      const [error, request, ...more] = await recordsOf(id);
      expect(more).toEqual([]);
      expect(error).toMatchObject({
        level: 'error',
        context: 'ApiErrorFilter',
        stack: expect.stringMatching(/\n +at /),
      });
      expect(error!.message).toMatch(/customers/);
      expect(request).toMatchObject({ level: 'error', context: 'Request', status: 500, route });
      // Only the first request belongs to a trace.
      const ids = [error, request].map((record) => record!.traceId);
      expect(ids).toEqual(id === 'failed' ? [TRACE, TRACE] : [undefined, undefined]);
    }
    for (const secret of [key, access, JWT_SECRET]) expect(service.output).not.toContain(secret);
  });

  if (engine === 'mysql')
    test('shows why the database refuses a connection, without the password', async () => {
      const refused = new URL(database.url);
      refused.username = 'unknown-account';
      refused.password = 'password-of-unknown-account';
      const settings = { DATABASE_URL: refused.href, REDIS_URL: 'redis://:password-of-redis@127.0.0.1:1' };
      service = ServiceProcess.start({ ...settings, JWT_SECRET, LOG_FORMAT: 'json' }, database.folder);
      ({ url } = await service.ports());
      await service.printing(/The database is not ready, trying again: .*Access denied/);
      const login = tokenCall('C', key);
      await call(url, { ...login, headers: { ...login.headers, 'X-Request-Id': 'refused' } });
      expect((await recordsOf('refused')).map(({ level }) => level)).toEqual(['error', 'error']);
      expect(service.output).toContain('Redis is lost');
      for (const secret of [key, JWT_SECRET, 'password-of']) expect(service.output).not.toContain(secret);
    });

  test('contains the last lines after SIGTERM', async () => {
    await start(PLENTY);
    const ids = Array.from({ length: 200 }, (_, index) => `last-${index}`);
    await Promise.all(ids.map((id) => call(url, identified(id))));
    expect(await service.stop()).toBe(0);
    const logged = service.log.filter(({ context }) => context === 'Request').map(({ requestId }) => String(requestId));
    expect(logged.toSorted()).toEqual(ids.toSorted());
  });

  test.each([
    ['exception', "throw%20Error('unforeseen')"],
    ['rejection', "Promise.reject(Error('unforeseen'))"],
  ])('ends with one line for an uncaught %s, and the exit code is 1', async (_what, fault) => {
    await start({ NODE_OPTIONS: `--import=data:text/javascript,process.once('SIGUSR2',()=>{${fault}})` });
    await call(url);
    expect(await service.stop('SIGUSR2')).toBe(1);
    expect(service.log.at(-1)).toMatchObject({
      level: 'fatal',
      context: 'Process',
      message: 'unforeseen',
      stack: expect.stringMatching(/^Error: unforeseen\n +at /),
    });
  });

  test.each(['json', 'text'])(
    'does not block the service with LOG_FORMAT=%s if its reader stops reading',
    async (LOG_FORMAT) => {
      await start({ ...PLENTY, LOG_FORMAT });
      service.stopReading();
      // The service now logs far more than a pipe holds.
      for (let round = 0; round < 20; round++) {
        const calls = await Promise.all(Array.from({ length: 50 }, () => call(url)));
        expect(calls.map(({ status }) => status)).toEqual(Array(50).fill(200));
      }
      expect(await service.stop()).toBe(0);
    },
  );

  test.each(['json', 'text'])(
    'does not stop the service with LOG_FORMAT=%s if its reader is gone',
    async (LOG_FORMAT) => {
      await start({ ...PLENTY, LOG_FORMAT });
      service.closeOutput();
      for (let round = 0; round < 20; round++) expect((await call(url)).status).toBe(200);
      expect(await service.stop()).toBe(0);
    },
  );
});
