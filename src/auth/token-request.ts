import { parse as parseContentType } from 'content-type';
import { formDecoded, formPairs, textOf } from './form.js';
import { invalidRequest, unsupportedGrantType } from './token-error.js';

const FORM = 'application/x-www-form-urlencoded';
const GRANT_TYPE = 'client_credentials';

/** The content of a well-formed token request. */
export interface TokenRequest {
  clientId: string;
  clientSecret: string;
  /** Whether the credentials were sent by HTTP Basic. */
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
    throw invalidRequest('The credentials were sent both in the body and by HTTP Basic; use one of them.');
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

/**
 * Returns the client ID of any token request, also of one that {@link readTokenRequest} refuses. Undefined if the
 * request has none, or if it cannot be decoded.
 */
export function clientIdAsSent(
  { authorization }: { authorization?: string },
  body: Buffer | undefined,
): string | undefined {
  try {
    return basicHalves(authorization)?.[0] ?? new Map(formPairs(textOf(body ?? Buffer.alloc(0)))).get('client_id');
  } catch {
    return undefined;
  }
}

function basicCredentials(authorization?: string): { clientId: string; clientSecret: string } | undefined {
  const credentials = decoded('The Basic credentials', () => basicHalves(authorization));
  if (!credentials) return undefined;
  const [clientId, clientSecret] = credentials;
  if (!clientId || !clientSecret) throw invalidRequest('The Basic credentials lack a client id or a secret.');
  return { clientId, clientSecret };
}

/** Returns the decoded client ID and secret of HTTP Basic; undefined if the header has another scheme. */
function basicHalves(authorization = ''): string[] | undefined {
  const scheme = /^basic(?: +(.*))?$/i.exec(authorization);
  if (!scheme) return undefined;
  return splitAtColon(textOf(Buffer.from(scheme[1]?.trim() ?? '', 'base64'))).map(formDecoded);
}

/** A client form-encodes both halves before it joins them (RFC 6749 §2.3.1), so the halves contain no colon. */
function splitAtColon(userPass: string): string[] {
  const colon = userPass.indexOf(':');
  return colon < 0 ? [] : [userPass.slice(0, colon), userPass.slice(colon + 1)];
}

function decoded<T>(part: string, decode: () => T): T {
  try {
    return decode();
  } catch {
    throw invalidRequest(`${part} cannot be decoded: form-encode the text as UTF-8, and write a % as %25.`);
  }
}
