import { expectEachCounted } from '../counting.js';
import { type Clause, clause, holds, matches, notTestable, same } from '../clause.js';
import { jsonOf } from '../data.js';
import { Broken, NotTestable } from '../failure.js';
import { type Call, type Deployment, tokenCall } from '../deployment.js';
import type { ReceivedResponse } from '../http.js';
import { partsOf } from '../jwt.js';
import { quotaWindowOf } from '../quota-window.js';

const CUSTOMER: Call = { path: '/api/version' };
const USAGE: Call = { path: '/api/usage' };
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const ANONYMOUS: Call = { path: '/api/version', as: 'anonymous' };

/** §8: quotas, as far as a run can check them without exhausting one. */
export const LIMITS: Clause[] = [
  clause(
    '§8.2 once',
    'every request counts once, including 404, 405, HEAD and OPTIONS (decision 22)',
    async (deployment) => {
      await expectEachCounted(deployment, [
        CUSTOMER,
        { path: '/nowhere' },
        { path: '/stock', method: 'PUT' },
        { path: '/stock', method: 'HEAD' },
        { path: '/stock', method: 'OPTIONS' },
        { path: '/stock', headers: { 'If-None-Match': '*' } },
        { path: '/health' },
      ]);
    },
  ),
  clause(
    '§8.3 one-bucket',
    'all tokens of a customer share one quota, and token requests count in it',
    async (deployment) => {
      await expectEachCounted(deployment, [CUSTOMER, tokenCall(deployment), CUSTOMER]);
    },
  ),
  clause(
    '§8.4 proven',
    'a request without valid credentials never counts for a customer (decision 21, §5.7)',
    async (deployment) => {
      const { clientId } = deployment.credentials();
      const unproven: Call[] = [
        ANONYMOUS,
        { ...ANONYMOUS, headers: { Authorization: 'Bearer nonsense' } },
        {
          ...tokenCall(deployment),
          counts: 'anonymous',
          body: `grant_type=client_credentials&client_id=${clientId}&client_secret=x`,
        },
      ];
      await expectEachCounted(deployment, [CUSTOMER, CUSTOMER], unproven);
    },
  ),
  clause(
    '§8.5 own-limits',
    'the token of a customer with its own limits has them as claims (decision 26, §5.9)',
    async (deployment) => {
      const { rpm, rph } = partsOf(await deployment.token()).claims;
      if (rpm === undefined && rph === undefined) throw new NotTestable('this customer has the default limits');
      for (const limit of [rpm, rph])
        holds(limit === undefined || Number.isInteger(limit), 'whole numbers', [rpm, rph]);
    },
  ),
  clause(
    '§2.12 usage',
    '/api/usage returns both windows and the expiry of the key (decision 190, §8.3)',
    async (deployment) => {
      const response = await deployment.send(USAGE);
      const { windows, keyExpiresAt, ...others } = jsonOf(response) as Record<string, unknown>;
      same('Cache-Control and further keys', [response.headers['cache-control'], others], ['no-store', {}]);
      if (keyExpiresAt !== null) matches('keyExpiresAt', keyExpiresAt, TIME);
      const [minute, hour] = windows as WindowUsage[];
      same('windows', windows, [minute, hour]);
      same('names of the windows', [minute?.window, hour?.window], ['1m', '1h']);
      for (const { window, limit, used, remaining, resetsAt } of [minute!, hour!]) {
        same(`used + remaining of ${window}`, used + remaining, limit);
        matches(`resetsAt of ${window}`, resetsAt, TIME);
      }
      const named = quotaWindowOf(response)!;
      const { remaining, resetsAt } = named.label === '1m' ? minute! : hour!;
      same('the window of the headers', [remaining, resetsAt], [named.remaining, named.reset]);
    },
  ),
  clause('decision 190 counted', '/api/usage counts and is never a 304 (§2.12)', async (deployment) => {
    await expectEachCounted(deployment, [USAGE, { ...USAGE, method: 'HEAD' }, USAGE]);
    const { status, headers } = await deployment.send({ ...USAGE, headers: { 'If-None-Match': '*' } });
    same('status and ETag', [status, headers.etag], [200, undefined]);
  }),
  clause('§8.7 advice', 'clients wait and back off', notTestable('advises clients')),
  clause('§8.9 no-redis', 'without Redis no request fails (decision 27)', notTestable('needs an outage of Redis')),
];

/** Checks of a 429 response, which need `--use-up-quota` or a 429 that the run has received. */
export const REFUSAL: Clause[] = [
  clause(
    '§8.1 exact',
    'a window admits exactly the requests that it has left (decision 23, §3)',
    async (deployment) => {
      const { left, admitted } = await exhaustedQuota(deployment);
      same('requests admitted after the first', admitted, left);
    },
  ),
  clause('§7 quota', 'an exceeded quota returns 429 with its message (decision 14, §8.6)', async (deployment) => {
    const { status, headers, bytes } = await aRefusal(deployment);
    same('status and Content-Type', [status, headers['content-type']], [429, 'application/json; charset=utf-8']);
    const { label } = quotaWindowOf(await aRefusal(deployment))!;
    const body = new RegExp(`^\\{"message":"API calls quota exceeded! maximum admitted \\d+ per ${label}\\."\\}$`);
    matches('body', bytes.toString(), body);
  }),
  clause(
    '§8.6 retry-after',
    'Retry-After states the seconds until the window resets (decision 24)',
    async (deployment) => {
      const refusal = await aRefusal(deployment);
      const window = quotaWindowOf(refusal)!;
      const retryAfter = String(refusal.headers['retry-after']);
      matches('Retry-After', retryAfter, /^[1-9]\d*$/);
      same('X-Rate-Limit-Remaining', window.remaining, 0);
      // The header Date has whole seconds, rounded down.
      const late = Date.parse(window.reset) - Date.parse(refusal.headers.date!) - Number(retryAfter) * 1000;
      holds(late > -1000 && late < 1000, `${retryAfter} s to X-Rate-Limit-Reset`, window.reset);
    },
  ),
  clause('§8.4 apart', 'an exceeded quota affects no other customer (decision 21)', async (deployment) => {
    await exhaustedQuota(deployment);
    same('status', (await deployment.send(CUSTOMER)).status, 200);
  }),
  clause('§8.6 admitted', 'a request after Retry-After is admitted (decision 23, decision 55)', async (deployment) => {
    const { refusal, at } = await exhaustedQuota(deployment);
    await new Promise((done) => setTimeout(done, at + Number(refusal.headers['retry-after']) * 1000 - Date.now()));
    same('status', (await deployment.sendNow({ ...CUSTOMER, as: 'other' })).status, 200);
  }),
];

/** Checks the quota headers of every response that counted. */
export const EVERY_QUOTA: Clause[] = [
  clause(
    '§8.6 headers',
    'every response to a counted request has the X-Rate-Limit headers (decision 25, §1, §4)',
    ({ seen }) => {
      for (const { call, headers } of seen.filter(({ call: { raw } }) => !raw)) {
        const { label, remaining, reset } = quotaWindowOf({ headers }) ?? {};
        const what = `at ${call.method ?? 'GET'} ${call.path}`;
        matches(`X-Rate-Limit-Limit ${what}`, label, /^1[mh]$/);
        holds(Number.isInteger(remaining), `X-Rate-Limit-Remaining ${what}`, headers['x-rate-limit-remaining']);
        matches(`X-Rate-Limit-Reset ${what}`, reset, TIME);
      }
    },
  ),
];

/** An element of `windows` in a usage response. */
interface WindowUsage {
  window: string;
  limit: number;
  used: number;
  remaining: number;
  resetsAt: string;
}

interface Exhaustion {
  /** X-Rate-Limit-Remaining of the first response. */
  left: number;
  admitted: number;
  refusal: ReceivedResponse;
  /** The time of the refusal in milliseconds since 1970. */
  at: number;
}

/** The suite exhausts no larger quota, because that would be a load test. */
const MOST_REQUESTS = 200;
const windows = new WeakMap<Deployment, Promise<Exhaustion>>();

/** Exhausts the minute quota of the second customer, once a run. @throws {NotTestable} without `--use-up-quota` */
function exhaustedQuota(deployment: Deployment): Promise<Exhaustion> {
  if (!deployment.target.useUpQuota) throw new NotTestable('needs --use-up-quota and a second customer');
  const known = windows.get(deployment) ?? exhaustQuota(deployment);
  windows.set(deployment, known);
  return known;
}

async function exhaustQuota(deployment: Deployment): Promise<Exhaustion> {
  deployment.credentials('other');
  const call: Call = { ...CUSTOMER, as: 'other' };
  const left = quotaWindowOf(await deployment.send(call))?.remaining ?? NaN;
  if (!(left <= MOST_REQUESTS))
    throw new NotTestable(`the second customer has more than ${MOST_REQUESTS} requests left`);
  for (let admitted = 0; admitted <= left; admitted++) {
    const refusal = await deployment.sendNow(call);
    if (refusal.status === 429) return { left, admitted, refusal, at: Date.now() };
  }
  throw new Broken(`expected 429 after ${left} further requests, but ${left + 1} were admitted`);
}

async function aRefusal(deployment: Deployment): Promise<ReceivedResponse> {
  const refusal = deployment.refusal ?? (await exhaustedQuota(deployment)).refusal;
  holds(quotaWindowOf(refusal) !== undefined, 'X-Rate-Limit headers with a 429', refusal.headers);
  return refusal;
}
