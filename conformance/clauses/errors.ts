import { type Clause, clause, holds, matches, notTestable, same } from '../clause.js';
import { NotTestable } from '../failure.js';
import { jsonOf } from '../data.js';
import type { Call } from '../deployment.js';
import { JSON_TYPE } from '../endpoints.js';
import type { ReceivedResponse } from '../http.js';
import { quotaWindowOf } from '../quota-window.js';

const MALFORMED = { error: 'The request is malformed.' };

/** §7: errors, and what is hardly HTTP. */
export const ERRORS: Clause[] = [
  clause('§7 unknown-path', 'an unknown path is 404 (decision 16, §4)', async (deployment) => {
    const response = await deployment.ask({ path: '/nowhere' });
    same('status and body', [response.status, jsonOf(response)], [404, { error: 'There is nothing at this path.' }]);
  }),
  clause('§7 unknown-path-anonymous', 'without a token, too', async (deployment) => {
    same('status', (await deployment.ask({ path: '/nowhere', as: 'nobody' })).status, 404);
  }),
  clause('§7 method', 'another method is 405 with Allow (decision 16, §4)', async (deployment) => {
    for (const [path, method] of [
      ['/stock', 'PUT'],
      ['/api/version', 'POST'],
      ['/health', 'DELETE'],
    ] as const) {
      const response = await deployment.ask({ path, method });
      same(`status and Allow of ${method} ${path}`, [response.status, response.headers.allow], [405, 'GET, HEAD']);
      matches('error', (jsonOf(response) as Record<string, unknown>).error, /GET, HEAD/);
    }
  }),
  clause('§7 shape', 'an error is {"error": "…"} in JSON (decision 14, §2.11)', async (deployment) => {
    for (const call of [
      { path: '/nowhere' },
      { path: '/stock', method: 'PUT' },
      { path: '/products', as: 'nobody' },
    ] satisfies Call[]) {
      const response = await deployment.ask(call);
      const body = jsonOf(response) as Record<string, unknown>;
      same(`Content-Type of ${call.path}`, response.headers['content-type'], JSON_TYPE);
      same(`keys of ${call.path}`, Object.keys(body), ['error']);
      matches(`error of ${call.path}`, body.error, /^[A-Z].*\.$/);
    }
  }),
  malformed('no-host', 'no Host is 400 (decision 52, §4)', 400, () => 'GET /api/version HTTP/1.1'),
  malformed(
    'two-hosts',
    'two of them are 400 (decision 52)',
    400,
    (host) => `GET / HTTP/1.1\r\n${host}\r\nHost: other`,
  ),
  malformed(
    'no-url',
    'a target that is no URL is 400 (decision 52)',
    400,
    (host) => `GET http://[ HTTP/1.1\r\n${host}`,
  ),
  malformed(
    'expect',
    'an unknown Expect is 417 (decision 52)',
    417,
    (host) => `GET /health HTTP/1.1\r\n${host}\r\nExpect: x`,
  ),
  malformed(
    'token-path',
    'also at /auth/token, in the same shape (decision 52)',
    400,
    () => 'POST /auth/token HTTP/1.1',
  ),
  malformed('no-http', 'what is no HTTP is 400, not counted (decision 47, §8.2)', 400, () => 'NONSENSE', false),
  malformed(
    'long-headers',
    'headers that are too large are 431 (decision 47)',
    431,
    (host) => `GET /health HTTP/1.1\r\n${host}\r\nX-Long: ${'x'.repeat(20_000)}`,
    false,
  ),
  clause('§7 slow', 'a request that is too slow is 408 (decision 47)', notTestable('takes a minute')),
  clause('§7 customer-gone', 'a customer that is gone: 404 (decision 10)', notTestable('needs such a customer')),
  clause('§7 unexpected', 'a 500 tells no detail (decision 16)', notTestable('needs a failure')),
  clause('§7 unhealthy', 'not ready: 503 Unhealthy (decision 12)', notTestable('needs an outage')),
];

/** @param head the request down to the headers that matter. @param counted whether it is HTTP, and so counted */
function malformed(name: string, text: string, status: number, head: (host: string) => string, counted = true): Clause {
  return clause(`§7 ${name}`, text, async (deployment) => {
    const raw = `${head(`Host: ${deployment.target.url.host}`)}\r\n\r\n`;
    const response = await deployment.ask({ path: '/', as: 'nobody', raw });
    if (!response.headers['x-request-id'])
      throw new NotTestable(`something before the service answered ${response.status}`);
    if (response.status === 200) throw new NotTestable('something before the service may have mended the request');
    same('status and body', [response.status, jsonOf(response)], [status, MALFORMED]);
    same('Content-Type and Connection', aboutBody(response), [JSON_TYPE, 'close']);
    holds((quotaWindowOf(response) !== undefined) === counted, `${counted ? '' : 'no '}quota`, quotaWindowOf(response));
  });
}

const aboutBody = ({ headers }: ReceivedResponse) => [headers['content-type'], headers.connection];
