import { createHash, createHmac, generateKeyPairSync, sign as signWith } from 'node:crypto';
import request from 'supertest';
import { DATA, SCHEMAS } from './support/data-endpoints.js';
import { routesOf, startWithApp } from './support/running-app.js';
import { A, B, C, smallCatalogue } from './support/small-catalogue.js';
import { TestDatabase, type TestService } from './support/test-service.js';

const SECRET = 'secret-of-the-access-suite-0123456789';
const PUBLIC = new Set(['GET /api/version', 'GET /health', 'POST /auth/token']);
const KID = createHash('sha256').update(`kid:${SECRET}`).digest('hex').slice(0, 16);
const CHALLENGE = 'Bearer realm="customer-data-service"';

let service: TestService;
/** Every route of the running application that is not public; all are for GET. */
let closed: string[];
let key: string;
/** All sent secrets, which must not appear in the log. */
const sent = new Set<string>([SECRET]);

beforeAll(async () => {
  const database = await TestDatabase.create();
  await database.load(smallCatalogue);
  // The CLI shares the logger of the process. It runs before the service starts, so it leaves nothing in that log.
  key = await database.cliOk('key', 'issue', A);
  const started = await startWithApp({ JWT_SECRET: SECRET }, database);
  service = started.service;
  closed = routesOf(started.app)
    .filter((route) => !PUBLIC.has(route))
    .map((route) => route.replace('GET ', ''));
});
afterAll(() => service.close());

type Json = Record<string, unknown>;
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const now = () => Math.floor(Date.now() / 1000);

/** Returns the claims of a valid token of A with these changes. A claim that is undefined is omitted. */
const claims = (changes: Json = {}) => {
  const issued = { iat: now(), exp: now() + 3600, jti: 'x' };
  return { iss: 'customer-data-service', aud: 'customer-data-api', sub: A, ...issued, ...changes };
};

/** Forges a token, as an attacker would. With the default arguments, the token is valid. */
function forge(payload: unknown = claims(), header: Json = {}, secret = SECRET, hash = 'sha256'): string {
  return sign(JSON.stringify(payload), header, secret, hash);
}

function sign(payload: string, header: Json, secret: string, hash: string): string {
  const encoded = Buffer.from(payload).toString('base64url');
  const signed = `${encode({ alg: 'HS256', typ: 'JWT', kid: KID, ...header })}.${encoded}`;
  return `${signed}.${createHmac(hash, secret).update(signed).digest('base64url')}`;
}

function forgeRs256(): string {
  const signed = `${encode({ alg: 'RS256', typ: 'JWT', kid: KID })}.${encode(claims())}`;
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return `${signed}.${signWith('sha256', Buffer.from(signed), privateKey).toString('base64url')}`;
}

/** Sends a GET request with these headers and records their parts as secrets. */
function get(path: string, headers: Record<string, string>): Promise<Response> {
  for (const value of Object.values(headers)) value.split(/[ ;]/).map((part) => part.length >= 20 && sent.add(part));
  return fetch(service.url + path, { headers });
}
const bearer = (token: string, scheme = 'Bearer ') => ({ Authorization: scheme + token });

/** Expects every protected endpoint to refuse these headers with this challenge. */
async function expectRefused(headers: Record<string, string>, challenge: unknown): Promise<void> {
  for (const path of closed) {
    const response = await get(path, headers);
    expect([path, response.status, response.headers.get('www-authenticate')]).toEqual([path, 401, challenge]);
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(await response.json()).toEqual({ error: expect.stringContaining('POST /auth/token') });
  }
}

test.each<[string, Record<string, string>]>([
  ['nothing', {}],
  ['Basic credentials', { Authorization: `Basic ${btoa(`${A}:secret`)}` }],
  ['another scheme', { Authorization: 'Digest username="SHOP-A"' }],
  ['a token without a scheme', { Authorization: forge() }],
  ['a token with a scheme that only begins with Bearer', { Authorization: `Bearertoken ${forge()}` }],
  ['a token in a cookie', { Cookie: `access_token=${forge()}; Authorization=Bearer ${forge()}` }],
  ['a token in other headers', { 'X-Access-Token': forge(), 'Proxy-Authorization': `Bearer ${forge()}` }],
])('a request with %s gets 401 without an error code (interface §5.6, decision 15)', async (_name, headers) => {
  await expectRefused(headers, CHALLENGE);
});

test('a request with a token in the query or in a form gets 401 (interface §5.2)', async () => {
  for (const path of closed) {
    const token = { access_token: forge(), token: forge() };
    const response = await request(service.url).get(path).query(token).type('form').send(token);
    expect([path, response.status, response.headers['www-authenticate']]).toEqual([path, 401, CHALLENGE]);
  }
});

/** RFC 6750 §3: an error_description contains no quotation mark and no backslash. */
const invalid = (about = '') =>
  expect.stringMatching(
    new RegExp(`^${CHALLENGE}, error="invalid_token", error_description="[ !#-\\[\\]-~]*${about}[ !#-\\[\\]-~]*"$`),
  );

const NOT_POSITIVE_INTEGERS = ['0', '-5', '1.5', '1e400', '2147483648', '"60"', '"abc"', 'null', 'true', '[60]', '{}'];

/** Values of claims that the service never issues, as JSON. A parser reads `1e400` as infinity. */
const MALFORMED_CLAIMS: Record<string, string[]> = {
  exp: ['1e400', 'null', 'true', '[]', '"never"', String(now() + 2 * 3600)],
  iat: ['1e400', '-1e400', 'null', 'true', '"now"', String(now() + 600), String(now() - 600)],
  nbf: ['1e400', 'null', '"now"'],
  sub: ['"SHOP A"', '"SHOP-A\\n"', '"SHOP/A"', '"SHÖP"', '"%"', `"${'A'.repeat(65)}"`],
  rpm: NOT_POSITIVE_INTEGERS,
  rph: NOT_POSITIVE_INTEGERS,
  api_key_id: NOT_POSITIVE_INTEGERS,
  deactivated_at: ['1.5', '1e400', '"60"', 'null', 'true', '[60]', '{}'],
};

describe('returns 401 invalid_token (interface §5.6, decisions 15, 20) for', () => {
  test.each<[string, () => string]>([
    ['nothing after the scheme', () => ''],
    ['a token that is not a JWT', () => 'abc'],
    ['only two parts of a JWT', () => forge().split('.').slice(0, 2).join('.')],
    ['a JWT with four parts', () => `${forge()}.x`],
    ['two tokens', () => `${forge()} ${forge()}`],
    ['a list of tokens', () => `${forge()},${forge()}`],
    ['a token in quotes', () => `"${forge()}"`],
    ['a very long token', () => forge(claims({ x: 'x'.repeat(8000) }), {}, 'other')],
    ['a header that is not JSON', () => `${btoa('{')}.${forge().split('.').slice(1).join('.')}`],
    ['a header that is null', () => `${btoa('null')}.${forge().split('.').slice(1).join('.')}`],
    ['claims that changed after signing', () => forge().replace(/\.(.*)\./, `.${encode(claims({ sub: B }))}.`)],
    ['a signature by another secret', () => forge(claims(), {}, 'another-secret-of-at-least-32-characters')],
    ['a signature by an empty secret', () => forge(claims(), {}, '')],
    ['no signature', () => forge().replace(/[^.]*$/, '')],
    ['alg none', () => forge(claims(), { alg: 'none' }).replace(/[^.]*$/, '')],
    ['alg None with a signature', () => forge(claims(), { alg: 'None' })],
    ['alg missing', () => forge(claims(), { alg: undefined })],
    ['HS384 with our secret', () => forge(claims(), { alg: 'HS384' }, SECRET, 'sha384')],
    ['HS512 with our secret', () => forge(claims(), { alg: 'HS512' }, SECRET, 'sha512')],
    ['RS256', forgeRs256],
    ['kid missing', () => forge(claims(), { kid: undefined })],
    ['kid unknown', () => forge(claims(), { kid: '0123456789abcdef' })],
    ['kid that is a path', () => forge(claims(), { kid: '../../../../dev/null' }, '')],
    ['kid that is SQL', () => forge(claims(), { kid: "' UNION SELECT 'x' -- " }, 'x')],
    ['kid that is a property of all objects', () => forge(claims(), { kid: '__proto__' }, '')],
    ['kid in an array', () => forge(claims(), { kid: [KID] })],
    ['iss of another service', () => forge(claims({ iss: 'another-service' }))],
    ['iss missing', () => forge(claims({ iss: undefined }))],
    ['aud of another API', () => forge(claims({ aud: 'another-api' }))],
    ['aud missing', () => forge(claims({ aud: undefined }))],
    ['sub missing', () => forge(claims({ sub: undefined }))],
    ['sub empty', () => forge(claims({ sub: '' }))],
    ...[null, true, 1, [A], { $ne: '' }].map((sub): [string, () => string] => [
      `sub ${JSON.stringify(sub)}`,
      () => forge(claims({ sub })),
    ]),
    ['iat missing', () => forge(claims({ iat: undefined }))],
    ['exp missing', () => forge(claims({ exp: undefined }))],
    ['exp as text', () => forge(claims({ exp: String(now() + 3600) }))],
    ['nbf in the future', () => forge(claims({ nbf: now() + 60 }))],
    ['claims that are not JSON', () => forge().replace(/\.(.*)\./, `.${btoa('{')}.`)],
    ['claims that are null', () => forge(null)],
    ['claims that are text', () => forge('text')],
    ['claims that are a list', () => forge([claims()])],
  ])('%s', async (_name, token) => {
    await expectRefused(bearer(token()), invalid());
  });

  test.each(
    Object.entries(MALFORMED_CLAIMS).flatMap(([claim, values]) =>
      values.map((value): [string, string] => [claim, value]),
    ),
  )('the claim %s with the value %s, although the signature is valid (decision 119)', async (claim, value) => {
    const others = JSON.stringify(claims({ [claim]: undefined }));
    const token = sign(others.replace('{', `{${JSON.stringify(claim)}:${value},`), {}, SECRET, 'sha256');
    await expectRefused(bearer(token), invalid('malformed'));
  });

  test.each([[['exp']], [['b64']], [[]], [null], ['']])(
    'the header crit %j, because the service supports no extension (decision 119, RFC 7515 §4.1.11)',
    async (crit) => {
      await expectRefused(bearer(forge(claims(), { crit, b64: true })), invalid('malformed'));
    },
  );

  test('a token that expired more than 5 s ago, and gives that reason', async () => {
    for (const ago of [6, 3600]) await expectRefused(bearer(forge(claims({ exp: now() - ago }))), invalid('expired'));
  });
});

/** The times in a token whose issuer has a clock that is this number of seconds ahead. */
const later = (seconds: number) => ({ iat: now() + seconds, exp: now() + seconds + 3600 });

describe('accepts', () => {
  test.each([
    ['a forged token with every part valid', () => bearer(forge())],
    ['a token whose issuer has a clock that is 3 s ahead (decisions 20, 119)', () => bearer(forge(claims(later(3))))],
    [
      'a token with the largest limits (decision 119)',
      () => bearer(forge(claims({ rpm: 2147483647, rph: 2147483647 }))),
    ],
    ['a token that expired less than 5 s ago (decision 20)', () => bearer(forge(claims({ exp: now() - 3 })))],
    ['the scheme bearer in lower case', () => bearer(forge(), 'bearer ')],
    ['the scheme BEARER in upper case with two spaces', () => bearer(forge(), 'BEARER  ')],
  ])('%s (interface §5.2)', async (_name, headers) => {
    for (const path of closed) expect([path, (await get(path, headers())).status]).toEqual([path, 200]);
  });

  test('only the token in the header if there are also tokens elsewhere (interface §5.4)', async () => {
    const other = forge(claims({ sub: B }));
    const plain = await (await get('/prices', bearer(forge()))).text();
    const response = await get(`/prices?access_token=${other}`, {
      ...bearer(forge()),
      Cookie: `access_token=${other}`,
    });
    expect(await response.text()).toBe(plain);
  });
});

/** Returns status and body of each endpoint for a valid token of this customer. */
const outcomes = async (sub: string, paths: string[]) => {
  const responses = await Promise.all(paths.map((path) => get(path, bearer(forge(claims({ sub }))))));
  return Promise.all(responses.map(async (response) => [response.status, await response.text()]));
};

test.each([
  ['deleted', B, 'DELETE FROM customers WHERE CustomerCode = ?'],
  ['inactive', C, 'UPDATE customers SET Active = 0 WHERE CustomerCode = ?'],
  ['unknown', 'UNKNOWN', 'DELETE FROM customers WHERE CustomerCode = ?'],
  ['spelt in another case', A.toLowerCase(), 'DELETE FROM customers WHERE CustomerCode = ?'],
])(
  'a customer that is %s gets 404 for data and 200 for schemas (interface §7, decision 10)',
  async (_state, code, sql) => {
    await service.database.sql(sql, [code]);
    const missing = [404, '{"error":"Customer not found."}'];
    expect(await outcomes(code, DATA)).toEqual(DATA.map(() => missing));
    expect(await outcomes(code, SCHEMAS)).toEqual(await outcomes(A, SCHEMAS));
    expect((await outcomes(A, SCHEMAS)).map(([status]) => status)).toEqual(SCHEMAS.map(() => 200));
  },
);

test('the log contains no key, token, secret or Authorization header, even for failed requests (decision 31)', async () => {
  const credentials = new URLSearchParams({ grant_type: 'client_credentials', client_id: A, client_secret: key });
  const requestToken = (headers = {}) =>
    fetch(`${service.url}/auth/token`, { method: 'POST', body: credentials, headers });
  const { access_token: token } = (await (await requestToken()).json()) as { access_token: string };
  await service.database.sql('ALTER TABLE customers RENAME TO customers_gone');
  expect((await get('/products', { ...bearer(token), 'X-Request-Id': 'failed-data' })).status).toBe(500);
  expect((await requestToken({ 'X-Request-Id': 'failed-token' })).status).toBe(500);
  const log = service.log.join('\n');
  // This check is meaningful only if the log contains both failures.
  for (const id of ['failed-data', 'failed-token']) expect(log).toContain(id);
  expect([...sent.add(key)].filter((secret) => log.includes(secret))).toEqual([]);
  expect(log).not.toMatch(/Bearer |Basic |eyJ/);
});
