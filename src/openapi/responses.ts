import type { ReferenceObject, ResponseObject, SchemaObject } from 'openapi3-ts/oas31';
import { invalidClient, invalidRequest, unsupportedGrantType } from '../auth/token-error.js';
import {
  type ApiError,
  customerNotFound,
  notAcceptable,
  quotaExceeded,
  requestUnreadable,
  REVOKED,
  tokenInvalid,
  tokenMissing,
  unexpected,
} from '../http/api-error.js';
import { DELTA_FORMATS_IN_WORDS } from '../changes/delta-formats.js';
import { FORMATS_IN_WORDS } from '../download/whole-source.js';
import { tokenErrorBody } from '../http/api-error.filter.js';
import { COUNTED, DELTA, headers, VALIDATED } from './headers.js';

/** The shapes of error bodies (interface §7, §5.8). */
export const ERROR_SCHEMAS = {
  ErrorMessage: {
    type: 'object',
    properties: { error: { type: 'string', description: 'What is wrong and what to do, in English.' } },
    required: ['error'],
  },
  QuotaError: {
    type: 'object',
    properties: { message: { type: 'string', description: 'The limit and the window that apply.' } },
    required: ['message'],
  },
  TokenError: {
    type: 'object',
    description: 'RFC 6749 §5.2.',
    properties: {
      error: {
        type: 'string',
        description: 'Error code for programs.',
        enum: ['invalid_request', 'invalid_client', 'unsupported_grant_type', 'server_error'],
      },
      error_description: { type: 'string', description: 'What is wrong, in English.' },
    },
    required: ['error', 'error_description'],
  },
} satisfies Record<string, SchemaObject>;

type Header = Parameters<typeof headers>[number];

/** Describes an error response. Its examples are the bodies of these errors. */
function failure(
  description: string,
  schema: keyof typeof ERROR_SCHEMAS,
  errors: readonly ApiError[],
  more: readonly Header[] = [],
): ResponseObject {
  const bodies = errors.map((error) => (schema === 'TokenError' ? tokenErrorBody(error) : error.body));
  const examples = Object.fromEntries(bodies.map((value, index) => [`example${index + 1}`, { value }]));
  return {
    description,
    headers: headers(...COUNTED, ...more),
    content: { 'application/json': { schema: { $ref: `#/components/schemas/${schema}` }, examples } },
  };
}

const MALFORMED = 'The request is invalid HTTP, for example it has two `Host` headers.';
const EXPECTATION = 'The value of `Expect` is unknown.';
const UNEXPECTED =
  'The client cannot fix this error: the database may be unavailable, or the service busy. If there is a `Retry-After`, wait this number of seconds. Otherwise back off. Then retry.';

const quotaError = (...more: Header[]) =>
  failure(
    'The quota of the minute or of the hour is exceeded. Wait for `Retry-After` seconds.',
    'QuotaError',
    [quotaExceeded(60, '1m', 59), quotaExceeded(1000, '1h', 2400)],
    ['Retry-After', ...more],
  );

/** The responses that several operations share, by name. */
export const RESPONSES = {
  NotModified: {
    description: 'The response with this `ETag` is still current. No body.',
    headers: headers(...COUNTED, ...VALIDATED),
  },
  NothingChanged: {
    description: 'Nothing has changed since the base. No body.',
    headers: headers(...COUNTED, ...DELTA),
  },
  Malformed: failure(MALFORMED, 'ErrorMessage', [requestUnreadable(400)]),
  Unauthorized: failure(
    'The access token is missing, malformed, expired or revoked, or another service issued it. Request a new token once. If the second attempt also returns 401, stop and alert.',
    'ErrorMessage',
    [tokenMissing(), tokenInvalid('it has expired'), tokenInvalid(REVOKED)],
    ['BearerChallenge'],
  ),
  CustomerNotFound: failure('The customer is deleted or inactive.', 'ErrorMessage', [customerNotFound()]),
  NotAcceptable: failure('`Accept` accepts none of the available types.', 'ErrorMessage', [
    notAcceptable(FORMATS_IN_WORDS),
  ]),
  DeltaNotAcceptable: failure('`Accept` accepts neither JSON nor NDJSON.', 'ErrorMessage', [
    notAcceptable(DELTA_FORMATS_IN_WORDS),
  ]),
  ExpectationFailed: failure(EXPECTATION, 'ErrorMessage', [requestUnreadable(417)]),
  QuotaExceeded: quotaError(),
  Unexpected: failure(UNEXPECTED, 'ErrorMessage', [unexpected()], ['RetryWhenBusy']),
} satisfies Record<string, ResponseObject>;

/** Returns a reference to one of these responses. */
export const response = (name: keyof typeof RESPONSES): ReferenceObject => ({ $ref: `#/components/responses/${name}` });

/** Returns the error responses of `POST /auth/token` by status. */
export function tokenFailures(): Record<string, ResponseObject> {
  const noStore = ['NoStore', 'Pragma'] as const;
  const refusal = (description: string, errors: ApiError[], ...more: Header[]) =>
    failure(description, 'TokenError', errors, [...noStore, ...more]);
  return {
    400: refusal('The token request is invalid.', [
      invalidRequest('The parameter client_id is missing or empty.'),
      unsupportedGrantType(),
    ]),
    401: refusal(
      'The customer is unknown or inactive, or the API key is wrong, revoked or expired.',
      [invalidClient(false)],
      'BasicChallenge',
    ),
    413: refusal('The body is larger than 16 kB.', [
      invalidRequest('The body cannot be read: send a form of at most 16kb.', 413),
    ]),
    415: refusal('The `Content-Encoding` of the body is not supported.', [
      invalidRequest('The body cannot be read: send a form of at most 16kb.', 415),
    ]),
    417: refusal(EXPECTATION, [requestUnreadable(417)]),
    429: quotaError(...noStore),
    500: refusal(UNEXPECTED, [unexpected()], 'RetryWhenBusy'),
  };
}
