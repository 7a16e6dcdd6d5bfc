import { parse as parseContentType } from 'content-type';
import { formDecoded, formPairs, textOf } from './form.js';
import { invalidRequest, unsupportedGrantType } from './token-error.js';

const FORM = 'application/x-www-form-urlencoded';
const GRANT_TYPE = 'client_credentials';

/** What a token request says, once it is known to be well-formed. */
export interface TokenRequest {
  clientId: string;
  clientSecret: string;
  /** The credentials came by HTTP Basic. */
  basic: boolean;
}

/**
 * Reads a token request (RFC 6749 §4.4.2), with credentials in the body or by HTTP Basic (§2.3.1).
 * @throws {ApiError} `invalid_request` or `unsupported_grant_type`
 */
export function readTokenRequest(
  headers: { 'content-type'?: string; authorization?: string },
  body: Buffer | undefined,
): TokenRequest {
  if (!isForm(headers['content-type'])) throw invalidRequest(`The body must be of type ${FORM}, in UTF-8.`);
  const pairs = decoded('The body', () => formPairs(textOf(body ?? Buffer.alloc(0))));
  const form = new Map(pairs);
  const parameter = (name: string): string => {
    const value = form.get(name);
    if (!value) throw invalidRequest(`The parameter ${name} is missing or empty.`);
    return value;
  };
  if (form.size < pairs.length) throw invalidRequest('A parameter is repeated.');
  const grantType = parameter('grant_type');
  const basic = basicCredentials(headers.authorization);
  if (basic && (form.has('client_secret') || (form.has('client_id') && parameter('client_id') !== basic.clientId)))
    throw invalidRequest('Credentials came both in the body and by HTTP Basic; use one of them.');
  const credentials = basic ?? { clientId: parameter('client_id'), clientSecret: parameter('client_secret') };
  if (grantType !== GRANT_TYPE) throw unsupportedGrantType();
  return { ...credentials, basic: basic !== undefined };
}

function isForm(contentType: string | undefined): boolean {
  try {
    const { type, parameters } = parseContentType(contentType ?? '');
    return type.toLowerCase() === FORM && /^utf-?8$/i.test(parameters.charset ?? 'utf-8');
  } catch {
    return false;
  }
}

function basicCredentials(authorization = ''): { clientId: string; clientSecret: string } | undefined {
  const scheme = /^basic(?: +(.*))?$/i.exec(authorization);
  if (!scheme) return undefined;
  const credentials = decoded('The Basic credentials', () =>
    splitAtColon(textOf(Buffer.from(scheme[1]?.trim() ?? '', 'base64'))).map(formDecoded),
  );
  const [clientId, clientSecret] = credentials;
  if (!clientId || !clientSecret) throw invalidRequest('The Basic credentials lack a client id or a secret.');
  return { clientId, clientSecret };
}

/** Both halves are form-encoded before they are joined (RFC 6749 §2.3.1), so that a colon in one cannot split it. */
function splitAtColon(userPass: string): string[] {
  const colon = userPass.indexOf(':');
  return colon < 0 ? [] : [userPass.slice(0, colon), userPass.slice(colon + 1)];
}

function decoded<T>(what: string, decode: () => T): T {
  try {
    return decode();
  } catch {
    throw invalidRequest(`${what} cannot be decoded: form-encode the text as UTF-8, and write a % as %25.`);
  }
}
