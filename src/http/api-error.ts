import { randomInt } from 'node:crypto';

/** An error that is answered as it is: status, JSON body, further headers. The functions below are all there are. */
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

/** 401 where no token was sent (RFC 6750 §3: no error code then). */
export const tokenMissing = () =>
  new ApiError(
    401,
    { error: 'An access token is required: send "Authorization: Bearer <token>" with a token from POST /auth/token.' },
    { 'WWW-Authenticate': `Bearer ${REALM}` },
  );

/** 401 where what was sent is not a valid token. `reason` is ASCII without quotes. */
export const tokenInvalid = (reason: string) =>
  new ApiError(
    401,
    { error: `The access token is not valid: ${reason}. Request a new one from POST /auth/token.` },
    { 'WWW-Authenticate': `Bearer ${REALM}, error="invalid_token", error_description="${reason}"` },
  );

/** The reason of a token that has ended before it expired, for {@link tokenInvalid}. */
export const REVOKED = 'it has been revoked';

export const customerNotFound = () => new ApiError(404, { error: 'Customer not found.' });

export const pathUnknown = () => new ApiError(404, { error: 'There is nothing at this path.' });

export const methodNotAllowed = (allowed: string) =>
  new ApiError(405, { error: `This path does not answer that method; it answers ${allowed}.` }, { Allow: allowed });

/** @param types what the path answers, in words */
export const notAcceptable = (types: string) =>
  new ApiError(406, { error: `Accept takes none of what this path answers: ${types}.` });

/** What cannot be read as a request at all; Node finds out before there is an answer to render. */
export const REQUEST_MALFORMED = Object.freeze({ error: 'The request is malformed.' });

export const requestUnreadable = (status: number) => new ApiError(status, REQUEST_MALFORMED, { Connection: 'close' });

/** 429, with the seconds to wait. The shape is the contract's own, on every path. */
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

/** 500 for a request that got no slot or connection in time. Clients that came at the same time return at different times. */
export const busy = () => unexpected({ 'Retry-After': String(randomInt(5, 16)) });
