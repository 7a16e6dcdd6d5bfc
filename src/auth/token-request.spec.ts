import { ApiError } from '../http/api-error.js';
import { readTokenRequest } from './token-request.js';

const FORM = 'application/x-www-form-urlencoded';
const GRANT = 'grant_type=client_credentials';
const BODY = `${GRANT}&client_id=ACME&client_secret=k3y`;
const basic = (userPass: string, scheme = 'Basic') => `${scheme} ${Buffer.from(userPass).toString('base64')}`;

const read = (body: string | Buffer | undefined, authorization?: string, contentType: string | undefined = FORM) =>
  readTokenRequest({ 'content-type': contentType, authorization }, body === undefined ? undefined : Buffer.from(body));

/** Returns status, code and description of the error. */
function refusal(...request: Parameters<typeof read>): unknown[] {
  try {
    return ['accepted', read(...request)];
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return [error.status, error.body.error, error.body.error_description];
  }
}

test.each([
  ['plain credentials', BODY, 'ACME', 'k3y'],
  ['percent-encoded credentials', `${GRANT}&client_id=A%2BB&client_secret=a%2Bb%25+c%3A%C3%A9`, 'A+B', 'a+b% c:é'],
  ['credentials in another order, beside unknown parameters', `scope=x&client_secret=k&client_id=A&${GRANT}`, 'A', 'k'],
  ['credentials beside names of object properties', `${BODY}&__proto__=x&constructor=y`, 'ACME', 'k3y'],
])('the body may have %s', (_, body, clientId, clientSecret) => {
  expect(read(body)).toEqual({ clientId, clientSecret, basic: false });
});

test.each([
  ['plain credentials', basic('ACME:k3y'), 'ACME', 'k3y'],
  ['a scheme in lower case and two spaces', basic('ACME:k3y', 'basic '), 'ACME', 'k3y'],
  ['a colon in the secret', basic('ACME:a:b'), 'ACME', 'a:b'],
  ['two form-encoded halves', basic('A%3AB:a%2Bb%25+c%C3%A9'), 'A:B', 'a+b% cé'],
])('HTTP Basic may have %s', (_, authorization, clientId, clientSecret) => {
  expect(read(GRANT, authorization)).toEqual({ clientId, clientSecret, basic: true });
});

test('the credentials in the body count if Authorization has another scheme', () => {
  expect(read(BODY, 'Bearer abc')).toEqual({ clientId: 'ACME', clientSecret: 'k3y', basic: false });
});

test.each([
  'Application/X-WWW-Form-Urlencoded',
  `${FORM};charset=UTF-8`,
  `${FORM}; charset=utf-8`,
  `${FORM}; charset="UTF8"`,
  `${FORM} ; Charset=Utf-8`,
])('the Content-Type %s is accepted', (contentType) => {
  expect(read(BODY, undefined, contentType)).toMatchObject({ clientId: 'ACME' });
});

test.each(['', 'application/json', 'text/plain', `${FORM}-x`, `${FORM}; charset=latin1`, ';', '\u0000'])(
  'the Content-Type %j is refused',
  (contentType) => {
    expect(refusal(BODY, undefined, contentType)).toEqual([
      400,
      'invalid_request',
      `The body must be of type ${FORM}, in UTF-8.`,
    ]);
  },
);

test.each([
  ['no body', undefined, undefined, 'The parameter grant_type is missing or empty.'],
  ['an empty body', '', undefined, 'The parameter grant_type is missing or empty.'],
  [
    'an empty parameter',
    `${GRANT}&client_id=&client_secret=k`,
    undefined,
    'The parameter client_id is missing or empty.',
  ],
  ['no secret', `${GRANT}&client_id=A`, undefined, 'The parameter client_secret is missing or empty.'],
  ['a repeated grant type', `${GRANT}&${BODY}`, undefined, 'is repeated.'],
  ['a repeated unknown parameter', `${BODY}&scope=x&scope=x`, undefined, 'is repeated.'],
  ['a repeated secret', `${BODY}&client_secret=k3y`, undefined, 'is repeated.'],
  [
    'array-like names',
    `${GRANT}&client_id[]=A&client_secret=k`,
    undefined,
    'The parameter client_id is missing or empty.',
  ],
  ['object-like names', `${GRANT}&client_id=A&client_secret[x]=1`, undefined, 'The parameter client_secret is missing'],
  [
    'credentials in both places',
    BODY,
    basic('ACME:k3y'),
    'The credentials were sent both in the body and by HTTP Basic',
  ],
  [
    'another code in the body',
    `${GRANT}&client_id=B`,
    basic('A:k'),
    'The credentials were sent both in the body and by HTTP',
  ],
  ['Basic without a value', GRANT, 'Basic', 'The Basic credentials lack a client id or a secret.'],
  ['Basic without a colon', GRANT, basic('ACME'), 'The Basic credentials lack a client id or a secret.'],
  ['Basic without a secret', GRANT, basic('ACME:'), 'The Basic credentials lack a client id or a secret.'],
  ['Basic that is not form-encoded', GRANT, basic('ACME:100%'), 'write a % as %25'],
])('%s makes the request invalid', (_, body, authorization, description) => {
  expect(refusal(body, authorization)).toEqual([400, 'invalid_request', expect.stringContaining(description)]);
});

/** Descriptions of invalid byte sequences, and their bytes in hex. */
const NOT_UTF_8 = [
  ['a byte that UTF-8 never has', 'FF'],
  ['a continuation byte alone', '80'],
  ['an overlong slash', 'C0AF'],
  ['an overlong NUL', 'C080'],
  ['an incomplete sequence', 'E282'],
  ['a lone surrogate', 'EDA080'],
  ['a pair of surrogates', 'EDA0BDEDB880'],
  ['a code point above the last one', 'F4908080'],
  ['ü of Latin-1', 'FC'],
] as const;
test.each(NOT_UTF_8)('%s is invalid, percent-encoded or raw, in the body or by HTTP Basic', (_, hex) => {
  const bytes = Buffer.from(hex, 'hex');
  const encoded = hex.replaceAll(/../g, '%$&');
  const rawBasic = Buffer.concat([Buffer.from('ACME:k'), bytes]).toString('base64');
  for (const [body, authorization] of [
    [`${GRANT}&client_id=${encoded}&client_secret=k`],
    [`${GRANT}&client_id=A&client_secret=k${encoded}`],
    [`${BODY}&scope=${encoded}`],
    [`${BODY}&${encoded}=x`],
    [Buffer.concat([Buffer.from(`${GRANT}&client_secret=k&client_id=A`), bytes])],
    [GRANT, basic(`ACME:${encoded}`)],
    [GRANT, basic(`${encoded}:k`)],
    [GRANT, `Basic ${rawBasic}`],
  ] as [string | Buffer, string?][])
    expect([String(body), refusal(body, authorization)]).toEqual([
      String(body),
      [400, 'invalid_request', expect.stringContaining('cannot be decoded: form-encode the text as UTF-8')],
    ]);
});

test.each(['%', '%4', '%ZZ', '%u0041', '100% sure'])('the invalid escape in "%s" makes the request invalid', (text) => {
  for (const request of [[`${BODY}&scope=${text}`], [GRANT, basic(`ACME:${text}`)]] as [string, string?][])
    expect(refusal(...request)).toEqual([400, 'invalid_request', expect.stringContaining('cannot be decoded')]);
});

test('every Unicode character is decoded exactly, raw or percent-encoded', () => {
  const id = '\uFEFFé€😀\u0000\u{10FFFF}';
  const secret = '= &';
  for (const [body, authorization] of [
    [`${GRANT}&client_id=${id}&client_secret==+%26`],
    [`${GRANT}&${new URLSearchParams({ client_id: id, client_secret: secret })}`],
    [GRANT, basic(`${encodeURIComponent(id)}:=+%26`)],
    [GRANT, basic(`${id}:=+%26`)],
  ] as [string, string?][])
    expect(read(body, authorization)).toMatchObject({ clientId: id, clientSecret: secret });
});

test.each(['password', 'Client_Credentials', 'client_credentials '])('the grant type %j is not supported', (grant) => {
  const body = `grant_type=${encodeURIComponent(grant)}&client_id=A&client_secret=k`;
  expect(refusal(body)).toEqual([400, 'unsupported_grant_type', expect.any(String)]);
});
