import { createHash, createHmac } from 'node:crypto';
import { A, B, C, smallCatalogue } from './support/small-catalogue.js';
import { TestDatabase, TestService } from './support/test-service.js';

type Headers = Record<string, string>;
/** Body, headers and query of a token request. */
type Sent = readonly [body?: string | Buffer, headers?: Headers, query?: string];

const [OLD_SECRET, NEW_SECRET] = ['old-secret-of-the-token-suite-0123', 'new-secret-of-the-token-suite-4567'];
const FORM = 'application/x-www-form-urlencoded';
const GRANT = 'grant_type=client_credentials';
/** A code and a key that no command can create, to test the form-encoding. */
const ODD = { id: 'a+b%3A:c d', secret: 'k+e%y:ü &=' };

let service: TestService;
let key: string;
let keyOfB: string;
/** The response to any wrong credentials. */
let refusal: Awaited<ReturnType<typeof requestToken>>;
beforeAll(async () => {
  service = await TestService.start({ JWT_SECRET: OLD_SECRET });
  const { database } = service;
  await database.load(smallCatalogue);
  [key, keyOfB] = [await service.key(A), await service.key(B)];
  await database.sql('INSERT INTO customers (CustomerCode) VALUES (?)', [ODD.id]);
  const values = [ODD.id, sha256(ODD.secret), '2026-01-01 00:00:00.000'];
  await database.sql('INSERT INTO api_keys (CustomerCode, Digest, CreatedAt) VALUES (?, ?, ?)', values);
  refusal = await requestToken([form('UNKNOWN', 'wrong')]);
});
afterAll(() => service.close());

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const form = (id: string, secret: string) =>
  `${GRANT}&${new URLSearchParams({ client_id: id, client_secret: secret })}`;
const basic = (userPass: string, scheme = 'Basic ') => ({ Authorization: scheme + btoa(userPass) });
const kid = (secret: string) => sha256(`kid:${secret}`).slice(0, 16);
const part = (token: string, index: number) =>
  JSON.parse(Buffer.from(token.split('.')[index]!, 'base64url').toString());

/**
 * Sends a token request and checks the headers that every response must have (decisions 16, 18). The body is a form,
 * unless `headers` has another Content-Type.
 */
async function requestToken([body, headers = {}, query = '']: Sent, { method = 'POST', on = service.url } = {}) {
  const all = Object.entries({ ...(body === undefined ? {} : { 'Content-Type': FORM }), ...headers });
  const response = await fetch(`${on}/auth/token${query}`, {
    method,
    headers: all.filter(([, value]) => value),
    // A Buffer, because fetch would add a Content-Type to a string.
    body: body === undefined ? null : Buffer.from(body),
  });
  const { 'x-request-id': id, 'x-rate-limit-remaining': _left, date, ...rest } = Object.fromEntries(response.headers);
  expect({ id, date, ...rest }).toMatchObject({
    id: expect.stringMatching(/^[\w.-]+$/),
    'cache-control': 'no-store',
    pragma: 'no-cache',
    'content-type': 'application/json; charset=utf-8',
  });
  const text = await response.text();
  return { status: response.status, headers: rest, body: text ? JSON.parse(text) : undefined };
}

const ofType = (...types: string[]): [string, () => Sent][] =>
  types.map((type) => [`type ${type}`, () => [form(A, key), { 'Content-Type': type }]]);
const ACCEPTED: [string, () => Sent][] = [
  ['credentials in the body', () => [form(A, key)]],
  ['percent-encoded names and values', () => [form(A, key).replace('=c', '=%63').replace('client_id', 'client%5Fid')]],
  ['HTTP Basic', () => [GRANT, basic(`${A}:${key}`)]],
  ['the scheme basic in lower case with two spaces', () => [GRANT, basic(`${A}:${key}`, 'basic  ')]],
  ['the scheme BASIC in upper case', () => [GRANT, basic(`${A}:${key}`, 'BASIC ')]],
  ['HTTP Basic with unnecessary percent-encoding', () => [GRANT, basic(`%53HOP%2dA:${key}`)]],
  ['a scope, which is ignored', () => [`${form(A, key)}&scope=customer%3A${B}`]],
  ['unknown parameters, which are ignored', () => [`${form(A, key)}&customer=${B}&sub=${B}&client_id[]=${B}`]],
  ['a query, which is ignored', () => [form(A, key), {}, `?grant_type=x&client_id=${B}&client_secret=${keyOfB}`]],
  ['a stale bearer token', () => [form(A, key), { Authorization: 'Bearer stale' }]],
  ...ofType(FORM.toUpperCase(), `${FORM};charset=utf8`, `${FORM}; charset="utf-8"`, `${FORM} ; CHARSET=UTF-8 ; x=y`),
];
test.each(ACCEPTED)('returns a token of the customer for %s (interface §2.8, §5; decision 18)', async (_name, sent) => {
  const { status, body } = await requestToken(sent());
  expect([status, Object.keys(body)]).toEqual([200, ['access_token', 'token_type', 'expires_in']]);
  expect([body.token_type, body.expires_in, part(body.access_token, 1).sub]).toEqual(['Bearer', 3600, A]);
});

const ENCODED: [string, Sent][] = [
  ['the body', [form(ODD.id, ODD.secret)]],
  ['HTTP Basic, encoded as in URIs', [GRANT, basic([ODD.id, ODD.secret].map(encodeURIComponent).join(':'))]],
  [
    'HTTP Basic, encoded as in forms',
    [GRANT, basic(`${new URLSearchParams({ [ODD.id]: ODD.secret })}`.replace('=', ':'))],
  ],
];
test.each(ENCODED)('decodes + %% : space and ü exactly in %s (decision 18, RFC 6749 §2.3.1)', async (_name, sent) => {
  const { status, body } = await requestToken(sent);
  expect([status, part(body.access_token, 1).sub]).toEqual([200, ODD.id]);
});

const valueOf = (name: string) => new URLSearchParams(form(A, key)).get(name);
const without = (name: string) => form(A, key).replace(new RegExp(`&?${name}=[^&]*`), '');
const MALFORMED: [string, () => Sent][] = [
  ['no body and no Content-Type', () => []],
  ['no body', () => [undefined, { 'Content-Type': FORM }]],
  ['an empty body', () => ['']],
  ['no Content-Type', () => [form(A, key), { 'Content-Type': '' }]],
  ...ofType('text/plain', 'application/json', 'multipart/form-data; boundary=x', `${FORM}x`, `${FORM}, text/plain`),
  ...ofType('form', '/', ...['iso-8859-1', 'utf-16', 'utf-8x', 'utf'].map((charset) => `${FORM}; charset=${charset}`)),
  ...['grant_type', 'client_id', 'client_secret'].flatMap((name): [string, () => Sent][] => [
    [`${name} missing`, () => [without(name)]],
    [`${name} empty`, () => [`${without(name)}&${name}=`]],
    [`${name} twice`, () => [`${form(A, key)}&${name}=${valueOf(name)}`]],
    [`${name} twice, once empty`, () => [`${name}=&${form(A, key)}`]],
    [`${name}[] only`, () => [`${without(name)}&${name}[]=${valueOf(name)}`]],
    [`${name}[x] only`, () => [`${without(name)}&${name}[x]=1`]],
    [`${name} in upper case`, () => [`${without(name)}&${name.toUpperCase()}=${valueOf(name)}`]],
    [`${name} in the query`, () => [without(name), {}, `?${name}=${valueOf(name)}`]],
  ]),
  ['an ignored parameter twice', () => [`${form(A, key)}&scope=a&scope=b`]],
  ['JSON with the Content-Type of a form', () => [JSON.stringify({ grant_type: 'client_credentials', client_id: A })]],
  ['credentials by HTTP Basic and in the body', () => [form(A, key), basic(`${A}:${key}`)]],
  ['Basic and a secret in the body', () => [`${GRANT}&client_secret=${key}`, basic(`${A}:${key}`)]],
  ['Basic and another id in the body', () => [`${GRANT}&client_id=${B}`, basic(`${A}:${key}`)]],
  ['Basic alone', () => [GRANT, { Authorization: 'Basic' }]],
  ['Basic without a colon', () => [GRANT, basic(A)]],
  ['Basic without a secret', () => [GRANT, basic(`${A}:`)]],
  ['Basic without an id', () => [GRANT, basic(`:${key}`)]],
  ['Basic with a bare %', () => [GRANT, basic(`${A}:100%`)]],
  ['Basic with an escape that is not UTF-8', () => [GRANT, basic(`${A}:%FF`)]],
  ['a client_id that is not UTF-8, percent-encoded', () => [`${GRANT}&client_id=%FF&client_secret=x`]],
  ['a client_id that is not UTF-8, raw', () => [Buffer.from(`${GRANT}&client_id=\xFF&client_secret=x`, 'latin1')]],
  ['a client_id with an invalid escape', () => [`${GRANT}&client_id=%4&client_secret=x`]],
  ['a client_id with an overlong form', () => [`${GRANT}&client_id=%C1%81&client_secret=x`]],
  ['a client_id with a lone surrogate', () => [`${GRANT}&client_id=%ED%A0%80&client_secret=x`]],
  ['Basic with bytes that are not UTF-8', () => [GRANT, basic(`${A}:\xFF`)]],
  ['Basic that is not base64', () => [GRANT, { Authorization: 'Basic !!!!' }]],
  ['a body that is not gzip but has this Content-Encoding', () => [form(A, key), { 'Content-Encoding': 'gzip' }]],
];
/** RFC 6749 §5.2: no quotation mark, no backslash, ASCII only. */
const DESCRIPTION = expect.stringMatching(/^[\x20-\x21\x23-\x5B\x5D-\x7E]+$/);
test.each(MALFORMED)('returns 400 invalid_request for %s (decision 18)', async (_name, sent) => {
  const { status, headers, body } = await requestToken(sent());
  expect({ status, body }).toEqual({ status: 400, body: { error: 'invalid_request', error_description: DESCRIPTION } });
  expect(headers).not.toHaveProperty('www-authenticate');
});

test('returns 413 with an RFC 6749 body for a body of more than 16 kB (decisions 14, 18)', async () => {
  const { status, body } = await requestToken([`${form(A, key)}&x=${'x'.repeat(16_384)}`]);
  expect({ status, body }).toEqual({ status: 413, body: { error: 'invalid_request', error_description: DESCRIPTION } });
});

test('returns 415 with an RFC 6749 body for an unsupported Content-Encoding (decision 44)', async () => {
  const { status, body } = await requestToken([form(A, key), { 'Content-Encoding': 'compress' }]);
  expect({ status, body }).toEqual({ status: 415, body: { error: 'invalid_request', error_description: DESCRIPTION } });
});

test.each(['password', 'refresh_token', 'CLIENT_CREDENTIALS', ' client_credentials', 'client_credentials,'])(
  'returns 400 unsupported_grant_type for the grant_type "%s" (decision 18)',
  async (grant) => {
    const { status, body } = await requestToken([
      form(A, key).replace(GRANT, `grant_type=${encodeURIComponent(grant)}`),
    ]);
    expect({ status, body }).toEqual({
      status: 400,
      body: { error: 'unsupported_grant_type', error_description: 'The grant_type must be client_credentials.' },
    });
  },
);

test('returns 405 with Allow and an RFC 6749 body for GET (decisions 14, 16)', async () => {
  const { status, headers, body } = await requestToken([], { method: 'GET' });
  expect([status, headers.allow]).toEqual([405, 'POST']);
  expect(body).toEqual({ error: 'invalid_request', error_description: DESCRIPTION });
});

describe('returns the same 401', () => {
  const BODY = { error: 'invalid_client', error_description: 'Invalid client credentials.' };
  const CHALLENGE = 'Basic realm="customer-data-service", charset="UTF-8"';
  const WRONG: [string, () => [id: string, secret: string]][] = [
    ['a wrong key', () => [A, 'wrong']],
    ['an unknown customer', () => ['UNKNOWN', key]],
    ['the key of another customer', () => [A, keyOfB]],
    ['the code in lower case', () => [A.toLowerCase(), key]],
    ['the code with a trailing space', () => [`${A} `, key]],
    ['the code with an accent', () => ['SHÓP-A', key]],
    ['the code with a NUL', () => [`${A}\0`, key]],
    ['a wildcard as the code', () => ['SHOP-%', key]],
    ['SQL as the code', () => ["' OR 1=1 -- ", key]],
    ['a code of 10 kB with 4-byte characters', () => ['😀'.repeat(800), key]],
    ['the key in lower case', () => [A, key.toLowerCase()]],
    ['the key with a trailing space', () => [A, `${key} `]],
    ['the stored digest as the key', () => [A, sha256(key)]],
  ];
  test.each(WRONG)('for %s (decision 18)', async (_name, credentials) => {
    const inBody = await requestToken([form(...credentials())]);
    expect(inBody).toEqual({ ...refusal, status: 401, body: BODY });
    expect(inBody.headers).not.toHaveProperty('www-authenticate');
    const byBasic = await requestToken([GRANT, basic(credentials().map(encodeURIComponent).join(':'))]);
    expect(byBasic).toEqual({ ...refusal, headers: { ...refusal.headers, 'www-authenticate': CHALLENGE } });
  });
  test('for an inactive customer, whose key works again once it is active (decisions 10, 18)', async () => {
    const keyOfC = await service.key(C);
    await service.database.cliOk('customer', 'set', C, '--inactive');
    expect(await requestToken([form(C, keyOfC)])).toEqual(refusal);
    await service.database.cliOk('customer', 'set', C, '--active');
    expect((await requestToken([form(C, keyOfC)])).status).toBe(200);
  });
});

const keysOfB = () => service.database.sql('SELECT * FROM api_keys WHERE CustomerCode = ? ORDER BY ID', [B]);
const minutesAhead = (minutes: number) =>
  new Date(Date.now() + minutes * 60_000).toISOString().slice(0, -1).replace('T', ' ');
/** Requests a token of B, and expects every refusal to be the same. @returns the status */
const statusWith = async (secret: string) => {
  const response = await requestToken([form(B, secret)]);
  if (response.status !== 200) expect(response).toEqual(refusal);
  return response.status;
};

describe('API keys (decision 19)', () => {
  test('consist of letters and digits with at least 256 random bits, and only digests are stored', async () => {
    expect(keyOfB).toMatch(/^[A-Za-z0-9]{43,}$/);
    const [row] = await keysOfB();
    expect(row!.Digest).toBe(sha256(keyOfB));
    expect(JSON.stringify(row)).not.toContain(keyOfB);
  });
  test('can be live at the same time, and revoking one leaves the other', async () => {
    const second = await service.key(B);
    expect(second).not.toBe(keyOfB);
    expect([await statusWith(keyOfB), await statusWith(second)]).toEqual([200, 200]);
    const { ID } = (await keysOfB()).find(({ Digest }) => Digest === sha256(second))!;
    await service.database.cliOk('key', 'revoke', String(ID));
    expect([await statusWith(keyOfB), await statusWith(second)]).toEqual([200, 401]);
  });
  test('are valid until they expire, in UTC', async () => {
    const third = await service.key(B);
    const statuses = [];
    for (const expiry of [minutesAhead(1), minutesAhead(-1), '2020-01-01 00:00:00.000', null]) {
      await service.database.sql('UPDATE api_keys SET ExpiresAt = ? WHERE Digest = ?', [expiry, sha256(third)]);
      statuses.push(await statusWith(third));
    }
    expect(statuses).toEqual([200, 401, 401, 200]);
  });
});

const CLAIMS = ['aud', 'exp', 'iat', 'iss', 'jti', 'sub'];

describe('an access token (decisions 20, 116)', () => {
  test('is an HS256 JWT with the documented claims and expires after 3600 s', async () => {
    const { access_token: token } = (await requestToken([form(A, key)])).body;
    const { access_token: next } = (await requestToken([form(A, key)])).body;
    const claims = part(token, 1);
    expect(part(token, 0)).toEqual({ alg: 'HS256', typ: 'JWT', kid: kid(OLD_SECRET) });
    expect(Object.keys(claims).toSorted()).toEqual([...CLAIMS, 'api_key_id', 'rph', 'rpm'].toSorted());
    expect(claims).toMatchObject({ iss: 'customer-data-service', aud: 'customer-data-api', sub: A });
    expect(claims.exp - claims.iat).toBe(3600);
    expect(Math.abs(claims.iat - Date.now() / 1000)).toBeLessThan(10);
    expect(part(next, 1).jti).not.toBe(claims.jti);
    const [row] = await service.database.sql('SELECT ID FROM api_keys WHERE Digest = ?', [sha256(key)]);
    expect(claims.api_key_id).toBe(row!.ID);
    const [header, payload, signature] = token.split('.');
    expect(createHmac('sha256', OLD_SECRET).update(`${header}.${payload}`).digest('base64url')).toBe(signature);
  });
  test.each([0, -5])('works without a limit claim if the stored limit is %i (decision 119)', async (limit) => {
    const set = 'UPDATE customers SET RequestsPerMinute = ?, RequestsPerHour = ? WHERE CustomerCode = ?';
    await service.database.sql(set, [limit, limit, B]);
    const { access_token: token } = (await requestToken([form(B, keyOfB)])).body;
    expect([part(token, 1).rpm, part(token, 1).rph]).toEqual([undefined, undefined]);
    expect((await service.get('/prices', token)).status).toBe(200);
    await service.database.sql(set, [1_000_000, 1_000_000, B]);
  });
  test('stays valid after a change of the signing secret only while the old secret is listed', async () => {
    const database = await TestDatabase.create();
    await database.load(smallCatalogue);
    const apiKey = await database.cliOk('key', 'issue', A);
    /** Starts a service with these secrets. @returns its status for `token`, and the token that it issues */
    const withSecrets = async (JWT_SECRET: string, token = '') => {
      const replica = await TestService.start({ JWT_SECRET }, database);
      const { status } = await replica.get('/prices', token);
      const issued: string = (await requestToken([form(A, apiKey)], { on: replica.url })).body.access_token;
      await replica.stop();
      return { status, issued, kid: part(issued, 0).kid };
    };
    const before = await withSecrets(OLD_SECRET);
    const both = await withSecrets(`${NEW_SECRET},${OLD_SECRET}`, before.issued);
    expect(both).toMatchObject({ status: 200, kid: kid(NEW_SECRET) });
    expect((await withSecrets(NEW_SECRET, both.issued)).status).toBe(200);
    expect((await withSecrets(NEW_SECRET, before.issued)).status).toBe(401);
    await database.drop();
  });
});
