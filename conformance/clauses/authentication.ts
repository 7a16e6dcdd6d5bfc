import { createHmac } from 'node:crypto';
import { type Clause, clause, holds, matches, notTestable, same } from '../clause.js';
import { jsonOf } from '../data.js';
import { type Call, type Caller, type Deployment, formCall, tokenCall } from '../deployment.js';
import { JSON_TYPE, PROTECTED, PUBLIC } from '../endpoints.js';
import { encoded, partsOf } from '../jwt.js';

const REALM = 'Bearer realm="customer-data-service"';
const MALFORMED = `${REALM}, error="invalid_token", error_description="it is malformed or not ours"`;

/** §5.1 to §5.7, §5.9 and §2.8: how tokens are requested, checked and refused. */
export const AUTHENTICATION: Clause[] = [
  clause(
    '§2.8 token',
    'the token response has exactly access_token, token_type and expires_in (§5.1, §3)',
    async (deployment) => {
      const response = await deployment.ask(tokenCall(deployment));
      const body = jsonOf(response) as Record<string, unknown>;
      same('status and Content-Type', [response.status, response.headers['content-type']], [200, JSON_TYPE]);
      same('keys', Object.keys(body), ['access_token', 'token_type', 'expires_in']);
      same('token_type', body.token_type, 'Bearer');
    },
  ),
  clause(
    '§5.3 lifetime',
    'expires_in and the claims of a token both state a lifetime of 3600 seconds (§8, §3)',
    async (deployment) => {
      const { expires_in } = jsonOf(await deployment.ask(tokenCall(deployment))) as Record<string, unknown>;
      same('expires_in', expires_in, 3600);
      const { exp, iat } = partsOf(await deployment.token()).claims;
      same('exp - iat', Number(exp) - Number(iat), 3600);
    },
  ),
  clause(
    '§5.1 not-kept',
    'the token response forbids caching with no-store and no-cache (decision 18, §4)',
    async (deployment) => {
      const { headers } = await deployment.ask(tokenCall(deployment));
      same('Cache-Control and Pragma', [headers['cache-control'], headers.pragma], ['no-store', 'no-cache']);
    },
  ),
  clause('§5.1 basic', 'the token endpoint accepts credentials in HTTP Basic (decision 18)', async (deployment) => {
    await expectToken(deployment, basicCall(deployment));
  }),
  clause(
    '§5.1 basic-and-id',
    'HTTP Basic may be combined with the same client_id in the body (decision 32)',
    async (deployment) => {
      const { clientId } = deployment.credentials();
      await expectToken(deployment, basicCall(deployment, { client_id: clientId }));
    },
  ),
  clause(
    '§5.1 spelling',
    'the Content-Type of the form may use any case and quotes (decision 18)',
    async (deployment) => {
      const headers = { 'Content-Type': 'Application/X-WWW-Form-Urlencoded; Charset="UTF-8"' };
      await expectToken(deployment, { ...tokenCall(deployment), headers });
    },
  ),
  clause(
    '§5.8 scope-ignored',
    'the token endpoint ignores scope and the query string (decision 18)',
    async (deployment) => {
      const call = tokenCall(deployment);
      await expectToken(deployment, {
        ...call,
        path: `${call.path}?grant_type=password`,
        body: `${call.body}&scope=all`,
      });
    },
  ),
  clause('§5.2 scheme', 'the scheme Bearer may be in any case', async (deployment) => {
    for (const scheme of ['bearer', 'BEARER', 'Bearer ']) {
      const { status } = await deployment.ask(bearer(`${scheme} ${await deployment.token()}`, 'customer'));
      same(`status with ${scheme}`, status, 200);
    }
  }),
  clause('§5.2 header-only', 'a token outside the Authorization header is ignored', async (deployment) => {
    const token = await deployment.token();
    const headers = { 'X-Access-Token': token, Cookie: `access_token=${token}` };
    same('status', (await deployment.ask({ path: '/stock/schema', as: 'anonymous', headers })).status, 401);
  }),
  clause('§5.4 terms', 'changed terms take effect at once', notTestable('needs a change of terms')),
  clause('§5.5 public', '/api/version and /health need no token', async (deployment) => {
    for (const path of PUBLIC) same(`status of ${path}`, (await deployment.ask({ path, as: 'anonymous' })).status, 200);
  }),
  clause('§5.5 protected', 'all other endpoints need a token', async (deployment) => {
    for (const path of PROTECTED)
      same(`status of ${path}`, (await deployment.ask({ path, as: 'anonymous' })).status, 401);
  }),
  clause(
    '§5.6 missing',
    'a request without a token returns 401 and a WWW-Authenticate challenge (decision 15)',
    async (deployment) => {
      await expectRefused(await deployment.ask({ path: '/products', as: 'anonymous' }), REALM);
      await expectRefused(await deployment.ask(bearer('Basic eDp5')), REALM);
    },
  ),
  clause('§5.6 malformed', 'a malformed token returns 401 invalid_token (decision 15)', async (deployment) => {
    for (const token of ['nonsense', 'a.b.c', ''])
      await expectRefused(await deployment.ask(bearer(`Bearer ${token}`)), MALFORMED);
  }),
  clause('§5.6 forged', 'a forged token returns 401 invalid_token (decision 20)', async (deployment) => {
    for (const forged of await forgeries(deployment))
      await expectRefused(await deployment.ask(bearer(`Bearer ${forged}`)), MALFORMED);
  }),
  clause('§5.6 head', 'HEAD without a token returns 401', async (deployment) => {
    same('status', (await deployment.ask({ path: '/products', method: 'HEAD', as: 'anonymous' })).status, 401);
  }),
  clause(
    '§5.6 expired',
    'an expired token returns 401, which states that it has expired (decision 20, §3)',
    notTestable('takes an hour'),
  ),
  clause(
    '§5.9 jwt',
    'the token is a JWT with HS256 and the documented claims (decisions 20, 116)',
    async (deployment) => {
      const { header, claims } = partsOf(await deployment.token());
      same('keys of its header', Object.keys(header).toSorted(), ['alg', 'kid', 'typ']);
      same('alg and typ', [header.alg, header.typ], ['HS256', 'JWT']);
      const { iss, aud, sub, jti, api_key_id } = claims;
      same(
        'iss, aud, sub',
        [iss, aud, sub],
        ['customer-data-service', 'customer-data-api', deployment.credentials().clientId],
      );
      matches('jti', jti, /./);
      holds(Number.isInteger(api_key_id), 'an integer as api_key_id', api_key_id);
    },
  ),
  clause('decision 19', 'an API key has 256 random bits, written as letters and digits', ({ target: { customer } }) => {
    // The result must not contain the key.
    holds(
      /^[A-Za-z0-9]{43,}$/.test(customer.clientSecret),
      '43 letters and digits or more',
      'an API key of another form',
    );
    matches('Customer Code', customer.clientId, /^[A-Za-z0-9._-]{1,64}$/);
  }),
];

function basicCall(deployment: Deployment, more: Record<string, string> = {}): Call {
  const { clientId, clientSecret } = deployment.credentials();
  const pair = [clientId, clientSecret].map(formEncoded).join(':');
  const headers = { Authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
  return { ...formCall({ grant_type: 'client_credentials', ...more }, headers), counts: 'customer' };
}

/** Encodes every character, which RFC 6749 §2.3.1 permits but does not require. */
const formEncoded = (text: string) =>
  [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0').toUpperCase()}`).join('');

async function expectToken(deployment: Deployment, call: Call): Promise<void> {
  const response = await deployment.ask(call);
  same('status', response.status, 200);
  matches('access_token', (jsonOf(response) as Record<string, unknown>).access_token, /^[\w-]+\.[\w-]+\.[\w-]+$/);
}

/** A request with this Authorization header and a small response. */
const bearer = (Authorization: string, counts: Caller = 'anonymous'): Call => ({
  path: '/stock/schema',
  as: 'anonymous',
  counts,
  headers: { Authorization },
});

async function expectRefused(response: Awaited<ReturnType<Deployment['ask']>>, challenge: string): Promise<void> {
  same('status', response.status, 401);
  same('WWW-Authenticate', response.headers['www-authenticate'], challenge);
  const { error } = jsonOf(response) as Record<string, unknown>;
  matches('error', error, /POST \/auth\/token/);
}

/** Three forgeries of the customer's token: unsigned, signed with another secret, and with another subject. */
async function forgeries(deployment: Deployment): Promise<string[]> {
  const { header, claims, signature } = partsOf(await deployment.token());
  const signed = `${encoded(header)}.${encoded(claims)}`;
  return [
    `${encoded({ ...header, alg: 'none' })}.${encoded(claims)}.`,
    `${signed}.${createHmac('sha256', 'x'.repeat(40)).update(signed).digest('base64url')}`,
    `${encoded(header)}.${encoded({ ...claims, sub: 'another-customer' })}.${signature}`,
  ];
}
