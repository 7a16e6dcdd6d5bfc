import { ApiError } from '../http/api-error.js';

/** Makes an error of the token endpoint (RFC 6749 §5.2). */
const tokenError = (status: number, error: string, description: string, headers = {}) =>
  new ApiError(status, { error, error_description: description }, headers);

export const invalidRequest = (description: string, status = 400) => tokenError(status, 'invalid_request', description);

export const unsupportedGrantType = () =>
  tokenError(400, 'unsupported_grant_type', 'The grant_type must be client_credentials.');

/** @param basic whether the client used HTTP Basic; only then the response has `WWW-Authenticate` */
export const invalidClient = (basic: boolean) =>
  tokenError(
    401,
    'invalid_client',
    'Invalid client credentials.',
    basic ? { 'WWW-Authenticate': 'Basic realm="customer-data-service", charset="UTF-8"' } : {},
  );
