import type { Request, Response } from 'express';
import { createHash } from 'node:crypto';

/** The headers with which a client may keep a response, and ask whether it still holds. */
export interface ValidatorHeaders extends Record<string, string> {
  ETag: string;
  'Cache-Control': string;
  Vary: string;
}

/**
 * The validator is strong: two responses with the same one have the same bytes, from whichever replica.
 * @param made all that the bytes follow from, as JSON
 */
export function validatorOf(made: unknown): ValidatorHeaders {
  const hash = createHash('sha256').update(JSON.stringify(made)).digest('base64url').slice(0, 32);
  return {
    ETag: `"${hash}"`,
    'Cache-Control': 'private, no-cache',
    Vary: 'Authorization, Accept, Accept-Encoding',
  };
}

/** Sets the validator of a response that Express sends, which becomes a 304 if the client has it. */
export function setValidator(response: Response, made: unknown): void {
  response.set(validatorOf(made));
  // It speaks to caches. Express would take "no-cache", which fetch adds to every conditional request, for a wish to have
  // the answer whole, and never find that the client has it.
  delete response.req.headers['cache-control'];
}

/** Whether the client has the response with this strong `ETag` (RFC 9110 §13.1.2: the comparison is weak). */
export function isFresh({ headers }: Request, etag: string): boolean {
  const tags = headers['if-none-match']?.split(',').map((tag) => tag.trim().replace(/^W\//, '')) ?? [];
  return tags.includes(etag) || (tags.length === 1 && tags[0] === '*');
}
