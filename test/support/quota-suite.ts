import { type ReceivedResponse, type Call, left, tokenCall, tokenIn } from './http-call.js';
import { A_IN_LOWER_CASE, FEW, forge, NAMED_ANONYMOUS, type QuotaBench } from './quota-bench.js';
import { A, B } from './small-catalogue.js';

const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };
const TOKEN = { method: 'POST', path: '/auth/token' };
/** Headers that claim where a request comes from. The service must ignore them. */
const IGNORED = `
  X-Forwarded-For X-Real-IP X-Client-IP True-Client-IP CF-Connecting-IP X-Cluster-Client-IP Forwarded Via Cookie
  User-Agent X-Customer-Code X-Api-Key X-Forwarded-User Origin Host`;

export const refusalOf = (limit: number, window: string) =>
  `{"message":"API calls quota exceeded! maximum admitted ${limit} per ${window}."}`;

/** Requests by their outcome. A customer sends them with its token, and an anonymous client sends them without one. */
const BY_OUTCOME: [string, number, Call][] = [
  ['GET /api/version', 200, {}],
  ['GET /health', 200, { path: '/health' }],
  ['HEAD /health', 200, { method: 'HEAD', path: '/health' }],
  ['an unknown path', 404, { path: '/nothing' }],
  ['a path that no pattern can match', 404, { path: '/%' }],
  ['OPTIONS of an unknown path', 404, { method: 'OPTIONS', path: '/nothing' }],
  ['OPTIONS', 405, { method: 'OPTIONS', path: '/products' }],
  ['OPTIONS *', 404, { method: 'OPTIONS', path: '*' }],
  ['the wrong method with a body', 405, { method: 'POST', path: '/stock', body: 'x'.repeat(20_000) }],
  ['the wrong method of /auth/token', 405, { path: '/auth/token' }],
  ['a token request without a body', 400, TOKEN],
  [
    'a token request of another grant',
    400,
    { ...TOKEN, headers: FORM, body: 'grant_type=x&client_id=x&client_secret=x' },
  ],
  ['a token request too large', 413, { ...TOKEN, headers: FORM, body: 'x'.repeat(20_000) }],
  ['a token request in no known encoding', 415, { ...TOKEN, headers: { ...FORM, 'Content-Encoding': 'x' }, body: 'x' }],
  ['wrong credentials', 401, tokenCall(A, 'wrong')],
  ['an unknown expectation', 417, { headers: { Expect: 'a-miracle' } }],
  ['no Host', 400, { setHost: false }],
];
const BY_CUSTOMER: [string, number, Call][] = [
  ['a download', 200, { path: '/products' }],
  ['HEAD of a download', 200, { method: 'HEAD', path: '/products' }],
  ['a schema', 200, { path: '/stock/schema' }],
];
const BY_NOBODY: [string, number, Call][] = [
  ['a download without a token', 401, { path: '/products' }],
  ['HEAD of a download without a token', 401, { method: 'HEAD', path: '/prices' }],
  ['a junk token', 401, { path: '/stock', token: 'junk' }],
  ['a junk token on a public endpoint', 200, { token: 'junk' }],
  ['a target that is no URL', 400, { path: 'http://x:y/' }],
];

/** The state of the quota in the response to a metered request. */
const described = ({ headers }: ReceivedResponse) => [headers['x-rate-limit-limit'], headers['x-rate-limit-reset']];

const expired = () => forge(A, { exp: Math.floor(Date.now() / 1000) - 3600 });

/**
 * Tests of quotas that must pass wherever requests are counted, on a service with the contract's limits.
 * @param fresh makes every window new
 */
export function quotaSuite(bench: () => QuotaBench, fresh: () => unknown): void {
  beforeEach(fresh);

  /** Sends a request, and checks that it counts once: for the token's customer, or without a token as anonymous. */
  async function expectCountedOnce(request: Call, status: number, token?: string): Promise<void> {
    const other = token ? undefined : tokenIn(await bench().login(A));
    const [own, others] = [await bench().left(token), await bench().left(other)];
    const response = await bench().send({ token, ...request });
    expect(response.status).toBe(status);
    expect([left(response), await bench().left(token), await bench().left(other)]).toEqual([
      own - 1,
      own - 2,
      others - 1,
    ]);
    expect(described(response)).toEqual(described(await bench().send({ token })));
  }

  test('/api/usage returns the counts of both windows after a request with any token (decision 190)', async () => {
    const token = tokenIn(await bench().login(A));
    await bench().sendTimes(2, { token: forge(A) });
    const { body, headers } = await bench().send({ path: '/api/usage', token });
    const { windows } = JSON.parse(body) as { windows: { used: number; remaining: number; resetsAt: string }[] };
    expect(windows).toMatchObject([
      { window: '1m', limit: 60, used: 4, remaining: 56, resetsAt: headers['x-rate-limit-reset'] },
      { window: '1h', limit: 1000, used: 4, remaining: 996 },
    ]);
    expect(Date.parse(windows[1]!.resetsAt) - Date.parse(windows[0]!.resetsAt)).toBe(3540_000);
  });

  describe('a request counts once and its response has the headers (interface §8, decisions 21, 22, 25)', () => {
    test.each([...BY_OUTCOME, ...BY_NOBODY])('in the anonymous bucket: %s, %i', async (_name, status, request) => {
      await expectCountedOnce(request, status);
    });
    test.each([...BY_OUTCOME, ...BY_CUSTOMER])('in the bucket of the token: %s, %i', async (_name, status, request) => {
      await expectCountedOnce(request, status, tokenIn(await bench().login(A)));
    });
    test('in the bucket of the credentials: a token request, 200', async () => {
      const token = tokenIn(await bench().login(A));
      await expectCountedOnce(await bench().credentials(A), 200, token);
      // The credentials decide, even if the request also has a token of another customer.
      await expectCountedOnce({ ...(await bench().credentials(A)), token: forge(B) }, 200, token);
    });
    test.each(['prices', 'api_keys'])('if the missing table %s makes it fail with 500', async (table) => {
      const token = tokenIn(await bench().login(A));
      const rename = (from: string, to: string) => bench().database.sql(`ALTER TABLE ${from} RENAME TO ${to}`);
      await rename(table, 'elsewhere');
      try {
        if (table === 'prices') await expectCountedOnce({ path: '/stock' }, 500, token);
        else expect(await bench().login(A)).toMatchObject({ status: 500, headers: { 'x-rate-limit-remaining': '59' } });
      } finally {
        await rename('elsewhere', table);
      }
    });
  });

  test('exactly 60 requests are admitted, with 59 to 0 left (interface §8, decisions 14, 23, 24, 25)', async () => {
    const login = await bench().login(A);
    const token = tokenIn(login);
    const admitted = [login, ...(await bench().sendTimes(59, { path: '/stock', token }))];
    expect(admitted.map(({ status }) => status)).toEqual(admitted.map(() => 200));
    expect(admitted.map(left)).toEqual(Array.from({ length: 60 }, (_, call) => 59 - call));
    const earliest = Date.now();
    const { status, headers, body } = await bench().send({ path: '/products', token });
    const reset = headers['x-rate-limit-reset'] as string;
    expect({ status, body }).toEqual({ status: 429, body: refusalOf(60, '1m') });
    expect(headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'x-rate-limit-limit': '1m',
      'x-rate-limit-remaining': '0',
      'retry-after': expect.stringMatching(/^[1-9]\d?$/),
    });
    expect(reset).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    for (const response of admitted) expect(described(response)).toEqual(['1m', reset]);
    const wait = (since: number) => Math.ceil((Date.parse(reset) - since) / 1000);
    expect(Number(headers['retry-after'])).toBeGreaterThanOrEqual(wait(Date.now()));
    expect(Number(headers['retry-after'])).toBeLessThanOrEqual(wait(earliest));
  });

  test.each(['HEAD', 'OPTIONS', 'POST', 'GET'])(
    'a refused client is refused on all paths: %s (decision 22)',
    async (method) => {
      await bench().sendTimes(60);
      for (const path of ['/products', '/health', '/nothing', '/auth/token']) {
        const { status, body, headers } = await bench().send({ method, path });
        expect([path, status, body]).toEqual([path, 429, method === 'HEAD' ? '' : refusalOf(60, '1m')]);
        expect(headers).toMatchObject({ 'x-rate-limit-limit': '1m', 'x-rate-limit-remaining': '0' });
      }
    },
  );

  test('two tokens of one customer share a bucket, two customers do not (interface §8.3, decision 21)', async () => {
    const [one, other] = [tokenIn(await bench().login(A)), tokenIn(await bench().login(A))];
    const ofB = tokenIn(await bench().login(B));
    const calls = [
      await bench().left(one),
      await bench().left(other),
      await bench().left(one),
      await bench().left(ofB),
    ];
    expect(calls).toEqual([57, 56, 55, 58]);
  });

  test('codes that differ only in case, and the code "anonymous", have separate buckets', async () => {
    const codes = [A, A_IN_LOWER_CASE, NAMED_ANONYMOUS];
    const tokens = [...(await Promise.all(codes.map(async (code) => tokenIn(await bench().login(code))))), undefined];
    await bench().sendTimes(5, { token: tokens[0] });
    await bench().sendTimes(10, { token: tokens[1] });
    await bench().sendTimes(15, { token: tokens[2] });
    await bench().sendTimes(20);
    expect(await Promise.all(tokens.map((token) => bench().left(token)))).toEqual([53, 48, 43, 39]);
  });

  test('an expired token counts in the anonymous bucket and always gets 401 (decisions 21, 122)', async () => {
    expect((await bench().send({ path: '/stock', token: forge(A) })).status).toBe(200);
    const responses = await bench().sendTimes(61, { path: '/stock', token: expired() });
    expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 401));
    expect(responses.at(-1)).toMatchObject({
      headers: { 'www-authenticate': expect.stringContaining('error="invalid_token"'), 'x-rate-limit-remaining': '0' },
    });
    // Other anonymous requests and wrong credentials are still refused.
    expect((await bench().send({ path: '/stock' })).status).toBe(429);
    const guess = { ...tokenCall(A, 'wrong'), token: expired() };
    expect((await bench().send(guess)).status).toBe(429);
    expect((await bench().send({ ...(await bench().credentials(A)), token: expired() })).status).toBe(200);
    expect(await bench().left(forge(A))).toBe(57);
  });

  test.each<[string, () => string]>([
    ['expired and signed by another', () => forge(A, { exp: 1 }, {}, 'another-secret-0123456789-0123456789')],
    ['expired and not signed at all', () => forge(A, { exp: 1 }, { alg: 'none' }).replace(/[^.]+$/, '')],
    ['signed by another', () => forge(A, {}, {}, 'another-secret-0123456789-0123456789')],
    ['not signed at all', () => forge(A, {}, { alg: 'none' }).replace(/[^.]+$/, '')],
    ['signed for another audience', () => forge(A, { aud: 'elsewhere' })],
    ['good but for one letter', () => forge(A).replace(/.$/, '')],
    ['the code itself', () => A],
  ])('a token that names a victim and is %s counts in the anonymous bucket (decision 21)', async (_name, forged) => {
    expect((await bench().send({ path: '/stock', token: forge(A) })).status).toBe(200);
    for (let sent = 1; sent <= 61; sent++) {
      const { status } = await bench().send({ path: '/stock', token: forged() });
      expect([sent, status]).toEqual([sent, sent <= 60 ? 401 : 429]);
    }
    expect(await bench().left(forge(A))).toBe(58);
  });

  test.each(IGNORED.trim().split(/\s+/))(
    'the header %s does not change the bucket (interface §8: "not per IP address", decision 21)',
    async (header) => {
      const token = tokenIn(await bench().login(A));
      for (const [index, value] of ['203.0.113.7', 'for=198.51.100.9;host=x', A].entries()) {
        const headers = { [header]: value };
        expect(left(await bench().send({ headers }))).toBe(59 - index);
        expect(left(await bench().send({ headers, token }))).toBe(58 - index);
      }
    },
  );

  test('after 61 anonymous requests a customer gets a token and data, but wrong credentials get 429 (decision 21)', async () => {
    expect((await bench().sendTimes(61)).map(({ status }) => status).slice(-2)).toEqual([200, 429]);
    const login = await bench().login(A);
    const data = await bench().send({ path: '/prices', token: tokenIn(login) });
    expect([login.status, left(login), data.status, left(data)]).toEqual([200, 59, 200, 58]);
    expect(JSON.parse(data.body)).toHaveLength(3);
    const guess = await bench().send(tokenCall(A, 'wrong'));
    expect([guess.status, guess.body]).toEqual([429, refusalOf(60, '1m')]);
    expect(guess.headers).toMatchObject({ 'cache-control': 'no-store', pragma: 'no-cache' });
    expect((await bench().send({ path: '/prices', token: 'junk' })).status).toBe(429);
    expect(await bench().left(tokenIn(login))).toBe(57);
  });

  test("a customer's own limits apply from the next token on (decision 26)", async () => {
    const token = tokenIn(await bench().login(FEW));
    expect((await bench().sendTimes(2, { path: '/stock', token })).map(left)).toEqual([1, 0]);
    for (const request of [{ path: '/stock', token }, await bench().credentials(FEW)])
      expect(await bench().send(request)).toMatchObject({ status: 429, body: refusalOf(3, '1m') });
    // Five requests have counted so far, two of them refused.
    await bench().database.cliOk('customer', 'set', FEW, '--per-minute', '100', '--per-hour', '7');
    const login = await bench().login(FEW);
    expect([left(login), described(login)[0]]).toEqual([1, '1h']);
    const request = { path: '/stock', token: tokenIn(login) };
    expect((await bench().sendTimes(2, request)).map(({ status }) => status)).toEqual([200, 429]);
    for (const refused of [request, await bench().credentials(FEW)]) {
      const { status, body, headers } = await bench().send(refused);
      expect([status, body, headers['x-rate-limit-limit']]).toEqual([429, refusalOf(7, '1h'), '1h']);
    }
    await bench().database.cliOk('customer', 'set', FEW, '--per-minute', '3', '--per-hour', '9');
  });
}
