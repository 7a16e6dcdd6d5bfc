import { readdirSync, readFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { readSettings } from '../src/config/settings.js';
import { PUBLISHED_KEY, sandboxCustomers } from '../src/sandbox/customers.js';
import { type Service, startService } from '../src/service.js';
import { CHANGES, DATA, SCHEMAS } from './support/data-endpoints.js';
import { call, type Call, type ReceivedResponse, tokenCall, tokenIn } from './support/http-call.js';
import { engine, TestService } from './support/test-service.js';

const ROOT = resolve(import.meta.dirname, '..');
const PATHS = [...DATA, ...CHANGES];
const IDENTITY = { 'Accept-Encoding': 'identity' };
const GZIP = { 'Accept-Encoding': 'gzip' };

/** The folders of sandboxes of this process. */
const folders = () => readdirSync(tmpdir()).filter((name) => name.startsWith(`customer-data-sandbox-${process.pid}-`));

describe('a service without SANDBOX', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await TestService.start();
    await service.database.cliOk('import', join(ROOT, 'demo'));
    for (const code of sandboxCustomers(readSettings({})).keys())
      await service.database.cliOk('customer', 'set', code, '--price-list', 'EUR-RETAIL', '--warehouse', 'NL01');
  });
  afterAll(() => service.close());

  test.each(['DEMO-SHOP', ...sandboxCustomers(readSettings({})).keys()])(
    'refuses the published key of a sandbox for %s',
    async (customer) => {
      const { status, body } = await call(service.url, tokenCall(customer, PUBLISHED_KEY));
      expect([status, body]).toEqual([
        401,
        '{"error":"invalid_client","error_description":"Invalid client credentials."}',
      ]);
    },
  );

  test.each([...sandboxCustomers(readSettings({})).keys()])('gives %s ordinary responses', async (customer) => {
    const token = await service.token(customer);
    for (const path of PATHS) {
      const { status, body } = await call(service.url, { path, token });
      expect([path, status, body.length > 1000]).toEqual([path, 200, true]);
    }
  });
});

test('only the start of the service imports the sandbox, and only with SANDBOX=true', () => {
  const files = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' });
  const mentions = files
    .filter((file) => file.endsWith('.ts') && !file.startsWith('sandbox'))
    .flatMap((file) => {
      const lines = readFileSync(join(ROOT, 'src', file), 'utf8').split('\n');
      return lines.filter((line) => line.includes('/sandbox/')).map((line) => `${file}: ${line.trim()}`);
    });
  expect(mentions).toEqual([
    expect.stringMatching(
      /^service\.ts: const sandbox = given\.SANDBOX \? await \(await import\('\.\/sandbox\/.* : undefined;$/,
    ),
  ]);
});

test('docs/integration/testing.md has the published key and every customer of the sandbox', () => {
  const page = readFileSync(join(ROOT, 'docs/integration/testing.md'), 'utf8');
  expect(page).toContain(`CLIENT_SECRET=${PUBLISHED_KEY}\n`);
  const rows = [...page.matchAll(/^\| `(SANDBOX-\w+)` /gm)].map(([, customer]) => customer);
  expect(rows).toEqual([...sandboxCustomers(readSettings({})).keys()]);
});

// A sandbox always has an embedded database, whatever the engine of the other tests is.
if (engine === 'sqlite')
  describe('a sandbox', () => {
    let service: Service;
    let url: string;
    const log: string[] = [];
    const logLine = (...parts: unknown[]) => void log.push(parts.join(' '));
    const tokens: Record<string, string> = {};
    beforeAll(async () => {
      service = await startService(
        readSettings({ PORT: '0', MANAGEMENT_PORT: '0', SANDBOX: 'true', REQUESTS_PER_MINUTE: '1000' }),
        { log: logLine, warn: logLine, error: logLine },
      );
      url = `http://127.0.0.1:${service.port}`;
      await service.ready;
      for (const customer of ['DEMO-SHOP', ...sandboxCustomers(readSettings({})).keys()])
        tokens[customer] = tokenIn(await call(url, tokenCall(customer, PUBLISHED_KEY)));
    });
    afterAll(() => service.close());

    /** Returns what a client receives until the response ends or its connection breaks, with the error. */
    const received = (path: string, token: string, headers: Record<string, string>) =>
      new Promise<{ status?: number; bytes: Buffer; error?: string }>((resolved) => {
        const all = { Authorization: `Bearer ${token}`, ...headers };
        const outgoing = request(`${url}${path}`, { headers: all, agent: false }, (response) => {
          const chunks: Buffer[] = [];
          const settle = (error?: NodeJS.ErrnoException) =>
            resolved({ status: response.statusCode, bytes: Buffer.concat(chunks), error: error?.code });
          response.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', settle);
          response.on('end', () => settle());
        });
        // The error of the response follows.
        outgoing.on('error', () => undefined).end();
      });

    const send = (customer: string, one: Call) => call(url, { ...one, token: tokens[customer] });

    test('gives DEMO-SHOP ordinary responses', async () => {
      for (const path of PATHS) expect((await send('DEMO-SHOP', { path })).status).toBe(200);
      const { headers } = await send('DEMO-SHOP', { path: '/stock' });
      const unchanged = await send('DEMO-SHOP', { path: '/stock', headers: { 'If-None-Match': headers.etag } });
      expect(unchanged.status).toBe(304);
    });

    test('refuses a wrong key', async () => {
      expect((await call(url, tokenCall('SANDBOX-500', `${PUBLISHED_KEY}!`))).status).toBe(401);
    });

    test('returns 401 to SANDBOX-401, as for a revoked token', async () => {
      for (const path of [...PATHS, ...SCHEMAS, '/api/usage']) {
        const { status, body, headers } = await send('SANDBOX-401', { path });
        expect([path, status, body, headers['www-authenticate']]).toEqual([
          path,
          401,
          '{"error":"The access token is not valid: it has been revoked. Request a new one from POST /auth/token."}',
          'Bearer realm="customer-data-service", error="invalid_token", error_description="it has been revoked"',
        ]);
      }
    });

    test('returns 429 to SANDBOX-429, with all headers', async () => {
      for (const path of [...PATHS, ...SCHEMAS, '/api/usage']) {
        const { status, body, headers } = await send('SANDBOX-429', { path });
        expect([path, status, body]).toEqual([
          path,
          429,
          '{"message":"API calls quota exceeded! maximum admitted 1000 per 1m."}',
        ]);
        expect(headers).toMatchObject({ 'x-rate-limit-limit': '1m', 'x-rate-limit-remaining': '0' });
        const left = Date.parse(headers['x-rate-limit-reset'] as string) - Date.now();
        expect(left).toBeGreaterThan(0);
        expect(Math.abs(Number(headers['retry-after']) * 1000 - left)).toBeLessThan(2000);
      }
    });

    test('returns 500 to SANDBOX-500, with its details only in the log', async () => {
      for (const path of PATHS) {
        const { status, body, headers } = await send('SANDBOX-500', { path });
        expect([path, status, body]).toEqual([
          path,
          500,
          '{"error":"An unexpected error occurred. Try again later; quote the X-Request-Id if it persists."}',
        ]);
        expect(log.filter((line) => line.includes(String(headers['x-request-id'])))).toContainEqual(
          expect.stringContaining('This customer of the sandbox always gets this error'),
        );
      }
    });

    test.each(PATHS)('resets the connection of SANDBOX-TRUNCATED after half of %s', async (path) => {
      const whole = (await send('DEMO-SHOP', { path, headers: IDENTITY })).bytes;
      for (const headers of [IDENTITY, { ...IDENTITY, 'If-None-Match': '*' }]) {
        const { status, bytes, error } = await received(path, tokens['SANDBOX-TRUNCATED']!, headers);
        expect([status, bytes.length, error]).toEqual([200, Math.floor(whole.length / 2), 'ECONNRESET']);
        if (!path.endsWith('changes')) expect(whole.subarray(0, bytes.length).equals(bytes)).toBe(true);
      }
    });

    test('sends a whole response to SANDBOX-SLOW at twice the minimum rate', async () => {
      const whole = (await send('DEMO-SHOP', { path: '/prices', headers: GZIP })).bytes;
      expect(whole.length).toBeGreaterThan(2000);
      const start = Date.now();
      const slow = await received('/prices', tokens['SANDBOX-SLOW']!, GZIP);
      expect([slow.status, slow.bytes.equals(whole)]).toEqual([200, true]);
      expect(Date.now() - start).toBeGreaterThan(990);
    });

    test('begins responses for many integrators that use SANDBOX-SLOW at the same time', async () => {
      const headers = { Authorization: `Bearer ${tokens['SANDBOX-SLOW']!}` };
      const begin = () =>
        new Promise<IncomingMessage>((resolved) =>
          request(`${url}/products`, { headers, agent: false }, resolved).end(),
        );
      const responses = await Promise.all(Array.from({ length: 12 }, begin));
      expect(responses.map(({ statusCode }) => statusCode)).toEqual(responses.map(() => 200));
      for (const response of responses) response.destroy();
    });

    test.each(['SANDBOX-500', 'SANDBOX-SLOW', 'SANDBOX-TRUNCATED'])(
      'gives %s ordinary responses on other endpoints, and to HEAD and errors on data',
      async (customer) => {
        for (const path of [...SCHEMAS, '/api/usage', '/api/version', '/health'])
          expect([path, (await send(customer, { path })).status]).toEqual([path, 200]);
        expect((await send(customer, { path: '/stock', method: 'POST' })).status).toBe(405);
        if (customer === 'SANDBOX-500') return;
        const head = await send(customer, { path: '/stock', method: 'HEAD' });
        expect([head.status, head.headers['x-last-sku']]).toEqual([200, expect.any(String)]);
        const notAcceptable = await send(customer, { path: '/stock', headers: { Accept: 'application/xml' } });
        expect([notAcceptable.status, JSON.parse(notAcceptable.body)]).toEqual([406, { error: expect.any(String) }]);
      },
    );

    test('gives public endpoints to every customer', async () => {
      for (const customer of Object.keys(tokens))
        expect((await send(customer, { path: '/api/version' })).status).toBe(200);
    });

    test('has responses for DEMO-SHOP while other customers have their outcomes', async () => {
      const outcomes = Object.keys(tokens).flatMap((customer) =>
        customer === 'DEMO-SHOP' ? [] : [received('/prices', tokens[customer]!, GZIP)],
      );
      const whole: ReceivedResponse[] = [];
      for (let index = 0; index < 5; index++) whole.push(await send('DEMO-SHOP', { path: '/prices' }));
      expect(new Set(whole.map(({ status, body }) => `${status} ${body.length}`)).size).toBe(1);
      expect(whole[0]!.status).toBe(200);
      await Promise.all(outcomes);
    });

    test('signs tokens that no other service accepts', async () => {
      const other = await TestService.start({ JWT_SECRET: 'a-secret-that-is-long-enough-for-tests' });
      expect((await call(other.url, { path: '/stock/schema', token: tokens['DEMO-SHOP'] })).status).toBe(401);
      await other.close();
    });

    test('deletes its database at the end', async () => {
      expect(folders()).toHaveLength(1);
      await service.close();
      expect(folders()).toEqual([]);
    });
  });
