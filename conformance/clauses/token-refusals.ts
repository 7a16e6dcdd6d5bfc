import type { OutgoingHttpHeaders } from 'node:http';
import { type Clause, clause, matches, notTestable, same } from '../clause.js';
import { jsonOf } from '../data.js';
import { type Call, type Deployment, formCall } from '../deployment.js';
import { JSON_TYPE } from '../endpoints.js';

/** A token request that is refused, and how. */
interface Refusal {
  name: string;
  text: string;
  calls: (deployment: Deployment) => Call[];
  status: number;
  error: string;
  /** How the answer asks for other credentials. */
  challenge?: RegExp;
}

const grant_type = 'client_credentials';
const NOBODY = { client_id: 'conformance-nobody', client_secret: 'not-a-key' };

const wrongKey = (deployment: Deployment) => ({
  client_id: deployment.credentials().clientId,
  client_secret: NOBODY.client_secret,
});
const basic = (pair: string): OutgoingHttpHeaders => ({
  Authorization: `Basic ${Buffer.from(pair).toString('base64')}`,
});
const typed = (body: string, type?: string): Call => ({
  path: '/auth/token',
  method: 'POST',
  as: 'nobody',
  headers: type ? { 'Content-Type': type } : {},
  body,
});
const form = `${new URLSearchParams({ grant_type, ...NOBODY })}`;

const invalidRequest = (name: string, text: string, calls: Call[]): Refusal => ({
  name,
  text,
  calls: () => calls,
  status: 400,
  error: 'invalid_request',
});

const REFUSALS: Refusal[] = [
  invalidRequest('not-a-form', 'a body that is no form in UTF-8 (§8.8)', [
    typed(form),
    typed(JSON.stringify({ grant_type, ...NOBODY }), 'application/json'),
    typed(form, 'application/x-www-form-urlencoded; charset=iso-8859-1'),
    typed(''),
  ]),
  invalidRequest('missing', 'a parameter that is missing or empty', [
    formCall({ ...NOBODY }),
    formCall({ grant_type, client_secret: NOBODY.client_secret }),
    formCall({ grant_type, client_id: NOBODY.client_id }),
    formCall({ grant_type, ...NOBODY, client_secret: '' }),
  ]),
  invalidRequest('repeated', 'one that is repeated', [
    formCall([['grant_type', grant_type], ...Object.entries({ grant_type, ...NOBODY })]),
  ]),
  invalidRequest('not-text', 'one that looks like a list or an object', [
    formCall({ grant_type, client_id: NOBODY.client_id, 'client_secret[]': 'x' }),
    formCall({ grant_type, 'client_id[x]': 'x', client_secret: NOBODY.client_secret }),
  ]),
  invalidRequest('both-ways', 'credentials in the body and by Basic (decision 32)', [
    formCall({ grant_type, ...NOBODY }, basic('conformance-nobody:not-a-key')),
    formCall({ grant_type, client_id: 'another' }, basic('conformance-nobody:not-a-key')),
  ]),
  invalidRequest('unreadable-basic', 'Basic credentials that cannot be read', [
    formCall({ grant_type }, basic('no-colon')),
    formCall({ grant_type }, basic('a:%zz')),
  ]),
  {
    name: 'grant-type',
    text: 'another grant type',
    calls: () => [formCall({ grant_type: 'password', ...NOBODY })],
    status: 400,
    error: 'unsupported_grant_type',
  },
  {
    name: 'wrong-key',
    text: 'a wrong key, or an unknown customer',
    calls: (deployment) => [formCall({ grant_type, ...wrongKey(deployment) }), formCall({ grant_type, ...NOBODY })],
    status: 401,
    error: 'invalid_client',
  },
  {
    name: 'wrong-key-basic',
    text: 'a wrong key by Basic, which is asked for again',
    calls: () => [formCall({ grant_type }, basic('conformance-nobody:not-a-key'))],
    status: 401,
    error: 'invalid_client',
    challenge: /^Basic\b/,
  },
  {
    name: 'method',
    text: 'another method than POST (decision 44)',
    calls: () => [{ path: '/auth/token', as: 'nobody' }],
    status: 405,
    error: 'invalid_request',
  },
  {
    name: 'too-long',
    text: 'a body of more than 16 kB (decision 44, §8.8)',
    calls: () => [formCall({ grant_type, ...NOBODY, more: 'x'.repeat(17_000) })],
    status: 413,
    error: 'invalid_request',
  },
  {
    name: 'encoded',
    text: 'a body in a Content-Encoding that is not read (decision 44)',
    calls: () => [formCall({ grant_type, ...NOBODY }, { 'Content-Encoding': 'compress' })],
    status: 415,
    error: 'invalid_request',
  },
];

/** §5.8: refused token requests. */
export const TOKEN_REFUSALS: Clause[] = [
  ...REFUSALS.map(({ name, text, calls, status, error, challenge }) =>
    clause(`§5.8 ${name}`, `${text}: ${status} ${error} (decision 18)`, async (deployment) => {
      for (const call of calls(deployment)) {
        const response = await deployment.ask(call);
        const body = jsonOf(response) as Record<string, unknown>;
        same('status', response.status, status);
        same('error', body.error, error);
        const asked = response.headers['www-authenticate'];
        if (challenge) matches('WWW-Authenticate', asked, challenge);
        else same('WWW-Authenticate', asked, undefined);
      }
    }),
  ),
  clause('§5.8 shape', 'each has the body and headers of RFC 6749 (decision 44, decision 14)', async (deployment) => {
    for (const { calls } of REFUSALS)
      for (const call of calls(deployment)) {
        const response = await deployment.ask(call);
        const { 'content-type': type, 'cache-control': control, pragma } = response.headers;
        const body = jsonOf(response) as Record<string, unknown>;
        same('Content-Type, Cache-Control, Pragma', [type, control, pragma], [JSON_TYPE, 'no-store', 'no-cache']);
        same('keys', Object.keys(body), ['error', 'error_description']);
        matches('error_description', body.error_description, /./);
      }
  }),
  clause('§5.8 not-told', 'nobody learns whether a customer exists (decision 18)', async (deployment) => {
    const [known, unknown] = [wrongKey(deployment), NOBODY].map((credentials) =>
      formCall({ grant_type, ...credentials }),
    );
    const body = jsonOf(await deployment.ask(known!));
    same('body', body, { error: 'invalid_client', error_description: 'Invalid client credentials.' });
    same('body for an unknown customer', jsonOf(await deployment.ask(unknown!)), body);
  }),
  clause('§5.8 time', 'nor by the time that it takes (decision 18)', notTestable('a network hides such differences')),
  clause('§5.8 inactive', 'an inactive customer: the same (decision 35)', notTestable('needs such a customer')),
  clause('§5.8 server-error', 'no database: 500 server_error (decision 44)', notTestable('needs an outage')),
];
