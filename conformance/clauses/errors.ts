import { type Clause, clause, holds, matches, notTestable, same } from '../clause.js';
import { NotTestable } from '../failure.js';
import { jsonOf } from '../data.js';
import type { Call } from '../deployment.js';
import { JSON_TYPE } from '../endpoints.js';
import type { ReceivedResponse } from '../http.js';
import { quotaWindowOf } from '../quota-window.js';

const MALFORMED = { error: 'The request is malformed.' };

/** §7: errors, and malformed requests. */
export const ERRORS: Clause[] = [
  clause('§7 unknown-path', 'an unknown path returns 404 (decision 16, §4)', async (deployment) => {
    const response = await deployment.ask({ path: '/nowhere' });
    same('status and body', [response.status, jsonOf(response)], [404, { error: 'There is nothing at this path.' }]);
  }),
  clause('§7 unknown-path-anonymous', 'an unknown path without a token returns 404', async (deployment) => {
    same('status', (await deployment.ask({ path: '/nowhere', as: 'anonymous' })).status, 404);
  }),
  clause('§7 method', 'another method returns 405 with Allow (decision 16, §4)', async (deployment) => {
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
  clause('§7 shape', 'an error body is {"error": "…"} in JSON (decision 14, §2.11)', async (deployment) => {
    for (const call of [
      { path: '/nowhere' },
      { path: '/stock', method: 'PUT' },
      { path: '/products', as: 'anonymous' },
    ] satisfies Call[]) {
      const response = await deployment.ask(call);
      const body = jsonOf(response) as Record<string, unknown>;
      same(`Content-Type of ${call.path}`, response.headers['content-type'], JSON_TYPE);
      same(`keys of ${call.path}`, Object.keys(body), ['error']);
      matches(`error of ${call.path}`, body.error, /^[A-Z].*\.$/);
    }
  }),
  malformed('no-host', 'a request without Host returns 400 (decision 52, §4)', 400, () => 'GET /api/version HTTP/1.1'),
  malformed(
    'two-hosts',
    'a request with two Host headers returns 400 (decision 52)',
    400,
    (host) => `GET / HTTP/1.1\r\n${host}\r\nHost: other`,
  ),
  malformed(
    'no-url',
    'a request whose target is no URL returns 400 (decision 52)',
    400,
    (host) => `GET http://[ HTTP/1.1\r\n${host}`,
  ),
  malformed(
    'expect',
    'an unknown Expect header returns 417 (decision 52)',
    417,
    (host) => `GET /health HTTP/1.1\r\n${host}\r\nExpect: x`,
  ),
  malformed(
    'token-path',
    'an invalid HTTP request to /auth/token returns 400 with the general error body (decision 52)',
    400,
    () => 'POST /auth/token HTTP/1.1',
  ),
  malformed(
    'no-http',
    'bytes that are not HTTP return 400 and do not count (decision 47, §8.2)',
    400,
    () => 'NONSENSE',
    false,
  ),
  malformed(
    'long-headers',
    'headers that are too large return 431 (decision 47)',
    431,
    (host) => `GET /health HTTP/1.1\r\n${host}\r\nX-Long: ${'x'.repeat(20_000)}`,
    false,
  ),
  clause('§7 slow', 'a request that is too slow returns 408 (decision 47)', notTestable('takes a minute')),
  clause('§7 customer-gone', 'a deleted customer gets 404 (decision 10)', notTestable('needs such a customer')),
  clause('§7 unexpected', 'a 500 contains no detail (decision 16)', notTestable('needs a failure')),
  clause(
    '§7 unhealthy',
    '/health returns 503 Unhealthy if the service is not ready (decision 12)',
    notTestable('needs an outage'),
  ),
];

/** @param head the request line and the headers under test. @param counted whether the request counts in a quota */
function malformed(name: string, text: string, status: number, head: (host: string) => string, counted = true): Clause {
  return clause(`§7 ${name}`, text, async (deployment) => {
    const raw = `${head(`Host: ${deployment.target.url.host}`)}\r\n\r\n`;
    const response = await deployment.ask({ path: '/', as: 'anonymous', raw });
    if (!response.headers['x-request-id'])
      throw new NotTestable(`a proxy before the service returned ${response.status}`);
    if (response.status === 200) throw new NotTestable('a proxy before the service may have fixed the request');
    same('status and body', [response.status, jsonOf(response)], [status, MALFORMED]);
    same('Content-Type and Connection', aboutBody(response), [JSON_TYPE, 'close']);
    holds((quotaWindowOf(response) !== undefined) === counted, `${counted ? '' : 'no '}quota`, quotaWindowOf(response));
  });
}

const aboutBody = ({ headers }: ReceivedResponse) => [headers['content-type'], headers.connection];
