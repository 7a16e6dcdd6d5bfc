import { randomInt } from 'node:crypto';

/** An error that is sent to the client unchanged: status, JSON body, further headers. This file lists all of them. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly body: Readonly<Record<string, string>>,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(Object.values(body).join(': '));
  }
}

const REALM = 'realm="customer-data-service"';

/** 401 without a token in the request (RFC 6750 §3: without an error code). */
export const tokenMissing = () =>
  new ApiError(
    401,
    { error: 'An access token is required: send "Authorization: Bearer <token>" with a token from POST /auth/token.' },
    { 'WWW-Authenticate': `Bearer ${REALM}` },
  );

/** 401 for an invalid token. @param reason ASCII without quotes */
export const tokenInvalid = (reason: string) =>
  new ApiError(
    401,
    { error: `The access token is not valid: ${reason}. Request a new one from POST /auth/token.` },
    { 'WWW-Authenticate': `Bearer ${REALM}, error="invalid_token", error_description="${reason}"` },
  );

/** The reason for {@link tokenInvalid} if a token ended before it expired. */
export const REVOKED = 'it has been revoked';

export const customerNotFound = () => new ApiError(404, { error: 'Customer not found.' });

export const pathUnknown = () => new ApiError(404, { error: 'There is nothing at this path.' });

export const methodNotAllowed = (allowed: string) =>
  new ApiError(405, { error: `This path does not support that method; it supports ${allowed}.` }, { Allow: allowed });

/** @param types the available types, in words */
export const notAcceptable = (types: string) =>
  new ApiError(406, { error: `None of the formats in Accept is available here; available: ${types}.` });

/** The body for an invalid request. Node may detect the fault before a response object exists. */
export const REQUEST_MALFORMED = Object.freeze({ error: 'The request is malformed.' });

export const requestUnreadable = (status: number) => new ApiError(status, REQUEST_MALFORMED, { Connection: 'close' });

/** 429, in the form that the contract defines for every path. @param retryAfter seconds to wait */
export const quotaExceeded = (limit: number, window: string, retryAfter: number) =>
  new ApiError(
    429,
    { message: `API calls quota exceeded! maximum admitted ${limit} per ${window}.` },
    { 'Retry-After': String(retryAfter) },
  );

export const unexpected = (headers?: Readonly<Record<string, string>>) =>
  new ApiError(
    500,
    { error: 'An unexpected error occurred. Try again later; quote the X-Request-Id if it persists.' },
    headers,
  );

/**
 * 500 for a request that got no slot or connection in time. `Retry-After` is random, so that clients spread their
 * retries.
 */
export const busy = () => unexpected({ 'Retry-After': String(randomInt(5, 16)) });
