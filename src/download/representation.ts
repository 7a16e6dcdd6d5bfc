import type { Request, Response } from 'express';
import { type BrotliCompress, constants, createBrotliCompress, createGzip, type Gzip } from 'node:zlib';
import { setValidator, withdrawValidator } from '../http/validator.js';
import { API_VERSION } from '../schema/schema.js';
import type { CustomerScope } from '../scope/customer-scope.js';
import type { ContentPart } from '../versions/content-versions.js';

/** What an answer is made of, as far as its validator is concerned. */
export interface Content {
  /** Names how its elements are written, see `shapeOf`. */
  readonly shape: string;
  /** The parts of the content whose changes may change it. */
  readonly parts: readonly ContentPart['part'][];
}

const ENCODINGS = ['br', 'gzip', 'identity'] as const;
export type Encoding = (typeof ENCODINGS)[number];

/** The encoding that the request prefers, or would take at least. */
export function encodingOf(request: Request): Encoding {
  return (request.acceptsEncodings([...ENCODINGS]) || 'identity') as Encoding;
}

/** What else compressed bytes follow from: another version of a library may compress otherwise. */
const LIBRARY: Record<Encoding, string | undefined> = {
  br: process.versions.brotli,
  gzip: process.versions.zlib,
  identity: undefined,
};

/** The headers of an answer and of the 304 instead of it. */
export function describe(response: Response, content: Content, scope: CustomerScope, encoding: Encoding): void {
  const { versions, customerCode: _, ...terms } = scope;
  const parts = content.parts.map((part) => versions[part]);
  setValidator(response, [API_VERSION, content.shape, encoding, LIBRARY[encoding], terms, parts]);
}

/** The headers of an answer with a body, or of HEAD instead of it: those, and how the body is encoded. */
export function describeBody(response: Response, content: Content, scope: CustomerScope, encoding: Encoding): void {
  describe(response, content, scope, encoding);
  if (encoding !== 'identity') response.set('Content-Encoding', encoding);
}

/** Takes the headers back: an error is of no content. */
export function undescribe(response: Response): void {
  withdrawValidator(response);
  response.removeHeader('Content-Encoding');
}

/** What comes out of one batch of elements mostly fits in here, and needs no second trip to a thread. */
const chunkSize = 64 * 1024;

/**
 * What compresses a body as it comes, in threads of its own; undefined: it stays as it is. Levels are low: higher ones
 * take several times as long for few bytes less.
 */
export function compressor(encoding: Encoding): Gzip | BrotliCompress | undefined {
  if (encoding === 'gzip') return createGzip({ level: 1, chunkSize });
  if (encoding === 'br') return createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: 1 }, chunkSize });
  return undefined;
}
