import { DATA } from './support/data-endpoints.js';
import { type Call, left, type ReceivedResponse, tokenIn, tokenCall } from './support/http-call.js';
import { FEW, forge, QuotaBench } from './support/quota-bench.js';
import { A, B } from './support/small-catalogue.js';

const USAGE: Call = { path: '/api/usage' };
const DAY = 86_400_000;

interface Usage {
  windows: { window: string; limit: number; used: number; remaining: number; resetsAt: string }[];
  keyExpiresAt: string | null;
}

let bench: QuotaBench;
beforeEach(async () => void (bench = await QuotaBench.start()));
afterEach(() => bench.close());

const usageIn = ({ body }: ReceivedResponse) => JSON.parse(body) as Usage;
const usage = async (token: string) => usageIn(await bench.send({ ...USAGE, token }));
const used = ({ windows }: Usage) => windows.map((one) => one.used);

/** Requests a token for a new key. */
async function tokenOfNewKey(customer: string, ...options: string[]): Promise<string> {
  const key = await bench.database.cliOk('key', 'issue', customer, ...options);
  return tokenIn(await bench.send(tokenCall(customer, key)));
}

test('returns both windows including this request (interface §2.12)', async () => {
  const start = Date.now();
  const token = tokenIn(await bench.login(A));
  await bench.sendTimes(3, { path: '/nowhere', token });
  const response = await bench.send({ ...USAGE, token });
  const end = Date.now();
  expect(response.headers).toMatchObject({
    'cache-control': 'no-store',
    'content-type': 'application/json; charset=utf-8',
    'x-rate-limit-limit': '1m',
    'x-rate-limit-remaining': '55',
    'x-rate-limit-reset': usageIn(response).windows[0]!.resetsAt,
  });
  expect(response.headers.etag).toBeUndefined();
  expect(usageIn(response)).toEqual({
    windows: [
      { window: '1m', limit: 60, used: 5, remaining: 55, resetsAt: expect.any(String) },
      { window: '1h', limit: 1000, used: 5, remaining: 995, resetsAt: expect.any(String) },
    ],
    keyExpiresAt: null,
  });
  for (const [index, length] of [60_000, 3_600_000].entries()) {
    const { resetsAt } = usageIn(response).windows[index]!;
    expect(resetsAt).toBe(new Date(resetsAt).toISOString());
    expect(Date.parse(resetsAt)).toBeGreaterThanOrEqual(start + length - 1);
    expect(Date.parse(resetsAt)).toBeLessThanOrEqual(end + length + 1);
  }
});

test("returns a customer's own limits, and 429 once a window is used up (decision 26)", async () => {
  const token = tokenIn(await bench.login(FEW));
  expect((await usage(token)).windows).toMatchObject([
    { window: '1m', limit: 3, used: 2, remaining: 1 },
    { window: '1h', limit: 9, used: 2, remaining: 7 },
  ]);
  expect((await usage(token)).windows[0]).toMatchObject({ used: 3, remaining: 0 });
  const refusal = await bench.send({ ...USAGE, token });
  expect([refusal.status, refusal.body]).toEqual([
    429,
    '{"message":"API calls quota exceeded! maximum admitted 3 per 1m."}',
  ]);
});

test('all keys of a customer share the windows, and each token shows the expiry of its own key', async () => {
  const day = new Date(Date.now() + 10 * DAY).toISOString().slice(0, 10);
  const expiring = await tokenOfNewKey(A, '--expires', day);
  const lasting = await tokenOfNewKey(A);
  const first = await usage(expiring);
  // The day of --expires is the last day of the key.
  expect(first.keyExpiresAt).toBe(new Date(Date.parse(day) + DAY).toISOString());
  const second = await usage(lasting);
  expect(second.keyExpiresAt).toBeNull();
  expect([used(first), used(second)]).toEqual([
    [3, 3],
    [4, 4],
  ]);
});

test('the requests and the key of another customer do not change the response', async () => {
  const other = await tokenOfNewKey(B, '--expires', new Date(Date.now() + DAY).toISOString().slice(0, 10));
  for (const path of DATA) await bench.send({ path, token: other });
  const own = await usage(tokenIn(await bench.login(A)));
  expect([used(own), own.keyExpiresAt]).toEqual([[2, 2], null]);
  // A query parameter or a header that names a customer changes nothing.
  const token = tokenIn(await bench.login(A));
  const response = await bench.send({
    path: `/api/usage?customerCode=${B}`,
    token,
    headers: { 'X-Customer-Code': B },
  });
  expect(used(usageIn(response))).toEqual([4, 4]);
});

test('returns null for a token that names no key', async () => {
  const response = await bench.send({ ...USAGE, token: forge(A) });
  expect([response.status, usageIn(response).keyExpiresAt]).toEqual([200, null]);
});

test('responds to HEAD without a body, never with 304, and to other methods with 405', async () => {
  const token = tokenIn(await bench.login(A));
  const head = await bench.send({ ...USAGE, method: 'HEAD', token });
  expect([head.status, head.body, head.headers['cache-control']]).toEqual([200, '', 'no-store']);
  expect(Number(head.headers['content-length'])).toBeGreaterThan(100);
  const conditional = await bench.send({ ...USAGE, token, headers: { 'If-None-Match': '*' } });
  expect([conditional.status, used(usageIn(conditional))]).toEqual([200, [3, 3]]);
  const post = await bench.send({ ...USAGE, method: 'POST', token });
  expect([post.status, post.headers.allow, left(post)]).toEqual([405, 'GET, HEAD', 56]);
  expect((await bench.send({ path: '/api/usage/', token })).status).toBe(404);
});

test('returns 401 for a missing or a revoked token, and 404 for an inactive customer', async () => {
  const missing = await bench.send(USAGE);
  expect([missing.status, missing.headers['www-authenticate']]).toEqual([401, 'Bearer realm="customer-data-service"']);
  const token = await tokenOfNewKey(A);
  await bench.database.sql(`UPDATE api_keys SET RevokedAt = '2026-01-01 00:00:00'`);
  const revoked = await bench.send({ ...USAGE, token });
  expect([revoked.status, revoked.body]).toEqual([401, expect.stringContaining('it has been revoked')]);
  const inactive = tokenIn(await bench.login(B));
  await bench.database.cliOk('customer', 'set', B, '--inactive');
  const gone = await bench.send({ ...USAGE, token: inactive });
  expect([gone.status, gone.body]).toEqual([404, '{"error":"Customer not found."}']);
});
