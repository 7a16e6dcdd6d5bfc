import type { Request, Response } from 'express';
import { type BrotliCompress, constants, createBrotliCompress, createGzip, type Gzip } from 'node:zlib';
import { preferred } from '../http/accept.js';
import { notAcceptable } from '../http/api-error.js';
import { setValidator, withdrawValidator } from '../http/validator.js';
import { API_VERSION } from '../schema/schema.js';
import type { CustomerScope } from '../scope/customer-scope.js';
import type { ContentPart } from '../versions/content-versions.js';
import { csv } from './csv-format.js';
import type { Format } from './format.js';
import { jsonArray, jsonLines } from './json-formats.js';

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

const ENCODINGS = ['br', 'gzip', 'identity'] as const;
type Encoding = (typeof ENCODINGS)[number];

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

/** What else compressed bytes follow from: another version of a library may compress otherwise. */
const LIBRARY: Record<Encoding, string | undefined> = {
  br: process.versions.brotli,
  gzip: process.versions.zlib,
  identity: undefined,
};

/** The headers of an answer and of the 304 instead of it. */
export function describe(
  response: Response,
  content: Content,
  scope: CustomerScope,
  { format, encoding }: Representation,
): void {
  const { versions, customerCode: _, ...terms } = scope;
  const parts = content.parts.map((part) => versions[part]);
  const { type, parameters } = format;
  response.set('Content-Type', format.contentType);
  setValidator(response, [API_VERSION, content.shape, type, parameters, encoding, LIBRARY[encoding], terms, parts]);
}

/** The headers of an answer with a body, or of HEAD instead of it: those, and how the body is encoded. */
export function describeBody(
  response: Response,
  content: Content,
  scope: CustomerScope,
  representation: Representation,
): void {
  describe(response, content, scope, representation);
  const { encoding } = representation;
  if (encoding !== 'identity') response.set('Content-Encoding', encoding);
}

/** Takes the headers back: an error is of no content. */
export function undescribe(response: Response): void {
  withdrawValidator(response);
  for (const name of ['Content-Type', 'Content-Encoding']) response.removeHeader(name);
}

/** What comes out of one batch of elements mostly fits in here, and needs no second trip to a thread. */
const chunkSize = 64 * 1024;

/**
 * What compresses a body as it comes, in threads of its own; undefined: it stays as it is. Levels are low: higher ones
 * take several times as long for few bytes less.
 */
export function compressor({ encoding }: Representation): Gzip | BrotliCompress | undefined {
  if (encoding === 'gzip') return createGzip({ level: 1, chunkSize });
  if (encoding === 'br') return createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: 1 }, chunkSize });
  return undefined;
}
