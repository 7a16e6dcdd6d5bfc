import type { Request, Response } from 'express';
import { preferred } from '../http/accept.js';
import { notAcceptable } from '../http/api-error.js';
import { setValidator, withdrawValidator } from '../http/validator.js';
import { API_VERSION } from '../http/api-version.js';
import type { CustomerScope } from '../scope/customer-scope.js';
import type { ContentPart } from '../versions/content-versions.js';
import { compressionParameters, type Encoding, ENCODINGS } from './compression.js';
import { csv } from './csv-format.js';
import type { Format } from './format.js';
import { jsonArray, jsonLines } from './json-formats.js';
import { LAST_SKU } from './last-sku.js';

/** What an answer is made of, as far as its validator is concerned. */
export interface Content {
  /** Names how its elements are written, see `shapeOf`. */
  readonly shape: string;
  /** The parts of the content whose changes may change it. */
  readonly parts: readonly ContentPart['part'][];
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

/** Sets the headers that a 200 and a 304 share. The `ETag` is made of everything that the bytes of the body depend on. */
export function describe(
  response: Response,
  content: Content,
  { terms, parts }: CustomerScope,
  { format: { type, parameters, contentType }, encoding }: Representation,
): void {
  const { path } = response.req;
  const versions = content.parts.map((part) => parts[part]?.version ?? null);
  const form = [content.shape, type, parameters, encoding, compressionParameters(encoding)];
  response.set('Content-Type', contentType);
  setValidator(response, [API_VERSION, path, form, terms, versions]);
}

/** The `ETag` that {@link describe} has set. */
export function etagOf(response: Response): string {
  return String(response.getHeader('ETag'));
}

/** Sets all headers of a 200. @param lastSku of the last element; undefined: there is none */
export function describeWhole(
  response: Response,
  content: Content,
  scope: CustomerScope,
  representation: Representation,
  lastSku: string | undefined,
): void {
  describe(response, content, scope, representation);
  const { encoding } = representation;
  if (encoding !== 'identity') response.set('Content-Encoding', encoding);
  if (lastSku !== undefined) response.set(LAST_SKU, encodeURIComponent(lastSku));
  const times = content.parts.map((part) => scope.parts[part]?.changedAt?.getTime() ?? -Infinity);
  const latest = Math.max(...times);
  if (latest !== -Infinity) response.set(DATA_CHANGED, new Date(latest).toISOString());
}

/** Removes the headers again: an error describes no content. */
export function undescribe(response: Response): void {
  withdrawValidator(response);
  response.removeHeader('Content-Type');
}
