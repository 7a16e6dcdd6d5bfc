import type { Request } from 'express';
import { preferred } from '../http/accept.js';
import { notAcceptable } from '../http/api-error.js';
import { type ValidatorHeaders, validatorOf } from '../http/validator.js';
import { API_PROFILE } from '../http/api-profile.js';
import type { CustomerScope } from '../scope/customer-scope.js';
import type { ContentPart } from '../versions/content-versions.js';
import { compressionParameters, type Encoding, ENCODINGS } from './compression.js';
import { csv } from './csv-format.js';
import type { Format } from './format.js';
import { jsonArray, jsonLines } from './json-formats.js';
import { LAST_SKU } from './last-sku.js';

/** What an answer is made of, as far as its validator is concerned. */
export interface Content {
  /** Names how its elements are written, see `serializationHash`. */
  readonly serializationHash: string;
  /** The parts of the content whose changes may change it. */
  readonly dependsOn: readonly ContentPart['part'][];
}

/** The default first; and so are those of `text/csv` without parameters. */
const FORMATS = [
  jsonArray,
  jsonLines,
  csv('comma', 0),
  csv('comma', 1),
  csv('semicolon', 0),
  csv('semicolon', 1),
] as const;
export const FORMATS_IN_WORDS =
  'application/json, application/x-ndjson, or text/csv, which may have bom=1 and delimiter=semicolon';

/** How the elements of an answer become its bytes. */
export interface Representation {
  readonly format: Format;
  readonly encoding: Encoding;
}

/** What the request prefers, or would take at least. @throws {ApiError} 406 if it takes none of the formats */
export function representationFor(request: Request): Representation {
  const format = preferred(request.headers.accept, FORMATS);
  if (!format) throw notAcceptable(FORMATS_IN_WORDS);
  return { format, encoding: (request.acceptsEncodings([...ENCODINGS]) || 'identity') as Encoding };
}

/** When the latest change was made that a response may show. */
const DATA_CHANGED = 'X-Data-Changed';

/** The headers that a 200 and a 304 share. The `ETag` is made of everything that the bytes of the body depend on. */
export function sharedHeaders(
  { path }: Request,
  content: Content,
  { terms, parts }: CustomerScope,
  { format: { type, parameters, contentType }, encoding }: Representation,
): ValidatorHeaders {
  const versions = content.dependsOn.map((part) => parts[part]?.version ?? null);
  const form = [content.serializationHash, type, parameters, encoding, compressionParameters(encoding)];
  return { 'Content-Type': contentType, ...validatorOf([API_PROFILE, path, form, terms, versions]) };
}

/** All headers of a 200. @param shared of the same scope @param lastSku of the last element; undefined: there is none */
export function wholeHeaders(
  shared: ValidatorHeaders,
  content: Content,
  scope: CustomerScope,
  { encoding }: Representation,
  lastSku: string | undefined,
): ValidatorHeaders {
  const headers = { ...shared };
  if (encoding !== 'identity') headers['Content-Encoding'] = encoding;
  if (lastSku !== undefined) headers[LAST_SKU] = encodeURIComponent(lastSku);
  const times = content.dependsOn.map((part) => scope.parts[part]?.changedAt?.getTime() ?? -Infinity);
  const latest = Math.max(...times);
  if (latest !== -Infinity) headers[DATA_CHANGED] = new Date(latest).toISOString();
  return headers;
}
