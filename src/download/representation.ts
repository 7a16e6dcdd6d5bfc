import type { Request } from 'express';
import { preferred } from '../http/accept.js';
import { notAcceptable } from '../http/api-error.js';
import type { ValidatorHeaders } from '../http/validator.js';
import type { SnapshotScope } from '../scope/customer-scope.js';
import { compressionParameters, type Encoding, ENCODINGS } from './compression.js';
import type { Content } from './content.js';
import type { Representation, ResponseSource } from './response-source.js';

/**
 * Chooses format and encoding by the headers of the request.
 * @throws {ApiError} 406 if the request accepts none of the formats
 */
export function representationFor(request: Request, { formats, formatsInWords }: ResponseSource): Representation {
  const format = preferred(request.headers.accept, formats);
  if (!format) throw notAcceptable(formatsInWords);
  return { format, encoding: (request.acceptsEncodings([...ENCODINGS]) || 'identity') as Encoding };
}

/** Everything in a representation that determines the bytes of a body. */
export function formOf({ format: { type, parameters }, encoding }: Representation): unknown {
  return [type, parameters, encoding, compressionParameters(encoding)];
}

/** The header with the time of the latest change that a response may show. */
const DATA_CHANGED = 'X-Data-Changed';

/**
 * Returns all headers of a 200.
 * @param shared the headers that a 304 has, too
 */
export function headersOf200(
  shared: ValidatorHeaders,
  { dependsOn }: Content,
  { changedAt }: SnapshotScope,
  { encoding }: Representation,
): ValidatorHeaders {
  const headers = { ...shared };
  if (encoding !== 'identity') headers['Content-Encoding'] = encoding;
  const latest = Math.max(...dependsOn.map((part) => changedAt[part]?.getTime() ?? -Infinity));
  if (latest !== -Infinity) headers[DATA_CHANGED] = new Date(latest).toISOString();
  return headers;
}
