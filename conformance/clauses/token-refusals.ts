import type { OutgoingHttpHeaders } from 'node:http';
import { type Clause, clause, matches, notTestable, same } from '../clause.js';
import { jsonOf } from '../data.js';
import { type Call, type Deployment, formCall } from '../deployment.js';
import { JSON_TYPE } from '../endpoints.js';

/** Token requests that are refused, and the expected error. */
interface Refusal {
  name: string;
  text: string;
  calls: (deployment: Deployment) => Call[];
  status: number;
  error: string;
  /** The expected WWW-Authenticate header; none if absent. */
  challenge?: RegExp;
}

const grant_type = 'client_credentials';
const UNKNOWN_CUSTOMER = { client_id: 'conformance-unknown', client_secret: 'not-a-key' };

const wrongKey = (deployment: Deployment) => ({
  client_id: deployment.credentials().clientId,
  client_secret: UNKNOWN_CUSTOMER.client_secret,
});
const basic = (pair: string): OutgoingHttpHeaders => ({
  Authorization: `Basic ${Buffer.from(pair).toString('base64')}`,
});
const typed = (body: string, type?: string): Call => ({
  path: '/auth/token',
  method: 'POST',
  as: 'anonymous',
  headers: type ? { 'Content-Type': type } : {},
  body,
});
const form = `${new URLSearchParams({ grant_type, ...UNKNOWN_CUSTOMER })}`;

const invalidRequest = (name: string, text: string, calls: Call[]): Refusal => ({
  name,
  text,
  calls: () => calls,
  status: 400,
  error: 'invalid_request',
});

const REFUSALS: Refusal[] = [
  invalidRequest('not-a-form', 'a body that is not a form in UTF-8 (§8.8)', [
    typed(form),
    typed(JSON.stringify({ grant_type, ...UNKNOWN_CUSTOMER }), 'application/json'),
    typed(form, 'application/x-www-form-urlencoded; charset=iso-8859-1'),
    typed(''),
  ]),
  invalidRequest('missing', 'a missing or empty parameter', [
    formCall({ ...UNKNOWN_CUSTOMER }),
    formCall({ grant_type, client_secret: UNKNOWN_CUSTOMER.client_secret }),
    formCall({ grant_type, client_id: UNKNOWN_CUSTOMER.client_id }),
    formCall({ grant_type, ...UNKNOWN_CUSTOMER, client_secret: '' }),
  ]),
  invalidRequest('repeated', 'a repeated parameter', [
    formCall([['grant_type', grant_type], ...Object.entries({ grant_type, ...UNKNOWN_CUSTOMER })]),
  ]),
  invalidRequest('not-text', 'a parameter that is written as a list or an object', [
    formCall({ grant_type, client_id: UNKNOWN_CUSTOMER.client_id, 'client_secret[]': 'x' }),
    formCall({ grant_type, 'client_id[x]': 'x', client_secret: UNKNOWN_CUSTOMER.client_secret }),
  ]),
  invalidRequest('both-ways', 'credentials both in the body and in HTTP Basic (decision 32)', [
    formCall({ grant_type, ...UNKNOWN_CUSTOMER }, basic('conformance-unknown:not-a-key')),
    formCall({ grant_type, client_id: 'another' }, basic('conformance-unknown:not-a-key')),
  ]),
  invalidRequest('unreadable-basic', 'unreadable HTTP Basic credentials', [
    formCall({ grant_type }, basic('no-colon')),
    formCall({ grant_type }, basic('a:%zz')),
  ]),
  {
    name: 'grant-type',
    text: 'another grant type',
    calls: () => [formCall({ grant_type: 'password', ...UNKNOWN_CUSTOMER })],
    status: 400,
    error: 'unsupported_grant_type',
  },
  {
    name: 'wrong-key',
    text: 'a wrong API key or an unknown customer',
    calls: (deployment) => [
      formCall({ grant_type, ...wrongKey(deployment) }),
      formCall({ grant_type, ...UNKNOWN_CUSTOMER }),
    ],
    status: 401,
    error: 'invalid_client',
  },
  {
    name: 'wrong-key-basic',
    text: 'a wrong API key in HTTP Basic',
    calls: () => [formCall({ grant_type }, basic('conformance-unknown:not-a-key'))],
    status: 401,
    error: 'invalid_client',
    challenge: /^Basic\b/,
  },
  {
    name: 'method',
    text: 'a method other than POST (decision 44)',
    calls: () => [{ path: '/auth/token', as: 'anonymous' }],
    status: 405,
    error: 'invalid_request',
  },
  {
    name: 'too-long',
    text: 'a body of more than 16 kB (decision 44, §8.8)',
    calls: () => [formCall({ grant_type, ...UNKNOWN_CUSTOMER, more: 'x'.repeat(17_000) })],
    status: 413,
    error: 'invalid_request',
  },
  {
    name: 'encoded',
    text: 'a body in an unsupported Content-Encoding (decision 44)',
    calls: () => [formCall({ grant_type, ...UNKNOWN_CUSTOMER }, { 'Content-Encoding': 'compress' })],
    status: 415,
    error: 'invalid_request',
  },
];

/** §5.8: refused token requests. */
export const TOKEN_REFUSALS: Clause[] = [
  ...REFUSALS.map(({ name, text, calls, status, error, challenge }) =>
    clause(
      `§5.8 ${name}`,
      `${text} returns ${status} ${error}${challenge ? ' and a Basic challenge' : ''} (decision 18)`,
      async (deployment) => {
        for (const call of calls(deployment)) {
          const response = await deployment.ask(call);
          const body = jsonOf(response) as Record<string, unknown>;
          same('status', response.status, status);
          same('error', body.error, error);
          const challenged = response.headers['www-authenticate'];
          if (challenge) matches('WWW-Authenticate', challenged, challenge);
          else same('WWW-Authenticate', challenged, undefined);
        }
      },
    ),
  ),
  clause(
    '§5.8 shape',
    'a refused token request returns the body and headers of RFC 6749 (decision 44, decision 14)',
    async (deployment) => {
      for (const { calls } of REFUSALS)
        for (const call of calls(deployment)) {
          const response = await deployment.ask(call);
          const { 'content-type': type, 'cache-control': control, pragma } = response.headers;
          const body = jsonOf(response) as Record<string, unknown>;
          same('Content-Type, Cache-Control, Pragma', [type, control, pragma], [JSON_TYPE, 'no-store', 'no-cache']);
          same('keys', Object.keys(body), ['error', 'error_description']);
          matches('error_description', body.error_description, /./);
        }
    },
  ),
  clause(
    '§5.8 not-told',
    'the response does not reveal whether a customer exists (decision 18)',
    async (deployment) => {
      const [known, unknown] = [wrongKey(deployment), UNKNOWN_CUSTOMER].map((credentials) =>
        formCall({ grant_type, ...credentials }),
      );
      const body = jsonOf(await deployment.ask(known!));
      same('body', body, { error: 'invalid_client', error_description: 'Invalid client credentials.' });
      same('body for an unknown customer', jsonOf(await deployment.ask(unknown!)), body);
    },
  ),
  clause(
    '§5.8 time',
    'the response time does not reveal whether a customer exists (decision 18)',
    notTestable('the network hides such differences'),
  ),
  clause(
    '§5.8 inactive',
    'an inactive customer gets the same response as a wrong API key (decision 35)',
    notTestable('needs such a customer'),
  ),
  clause(
    '§5.8 server-error',
    'a token request without the database returns 500 server_error (decision 44)',
    notTestable('needs an outage'),
  ),
];
