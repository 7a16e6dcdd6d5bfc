import type { Request, Response } from 'express';
import { createHash } from 'node:crypto';
import { type BrotliCompress, constants, createBrotliCompress, createGzip, type Gzip } from 'node:zlib';
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

/**
 * The headers of an answer and of the 304 instead of it. The validator is strong: two answers of the same one have the
 * same bytes, from whichever replica.
 */
export function describe(response: Response, content: Content, scope: CustomerScope, encoding: Encoding): void {
  const { versions, customerCode: _, ...terms } = scope;
  const made = [API_VERSION, content.shape, encoding, terms, content.parts.map((part) => versions[part])];
  const hash = createHash('sha256').update(JSON.stringify(made)).digest('base64url').slice(0, 32);
  response.set({
    ETag: `"${hash}"`,
    'Cache-Control': 'private, no-cache',
    Vary: 'Authorization, Accept, Accept-Encoding',
  });
}

/** The headers of an answer with a body, or of HEAD instead of it: those, and how the body is encoded. */
export function describeBody(response: Response, content: Content, scope: CustomerScope, encoding: Encoding): void {
  describe(response, content, scope, encoding);
  if (encoding !== 'identity') response.set('Content-Encoding', encoding);
}

/** Takes the headers back: an error is of no content. */
export function undescribe(response: Response): void {
  for (const name of ['ETag', 'Cache-Control', 'Vary', 'Content-Encoding']) response.removeHeader(name);
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
