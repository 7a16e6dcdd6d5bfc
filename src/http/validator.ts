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
  return validatorHeaders(`"${digestOf(made)}"`);
}

/** The headers of a response that a client may keep and ask for again. @param etag with its quotes */
export function validatorHeaders(etag: string, cacheControl = 'private, no-cache'): ValidatorHeaders {
  return { ETag: etag, 'Cache-Control': cacheControl, Vary: 'Authorization, Accept, Accept-Encoding' };
}

/** 192 bits of the SHA-256 of a value as JSON, in 32 characters. */
export function digestOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('base64url').slice(0, 32);
}

/** Sets the validator of a response that Express sends, which becomes a 304 if the client has it. */
export function setValidator(response: Response, made: unknown): void {
  response.set(validatorOf(made));
  // It speaks to caches. Express would take "no-cache", which fetch adds to every conditional request, for a wish to have
  // the answer whole, and never find that the client has it.
  delete response.req.headers['cache-control'];
}

/** Whether the client has the response with this strong `ETag` (RFC 9110 §13.1.2: the comparison is weak). */
export function isFresh(request: Request, etag: string): boolean {
  const tags = knownTags(request);
  return tags.includes(etag) || (tags.length === 1 && tags[0] === '*');
}

/** The tags that the client names, each with its quotes and as a strong one; or `*`. */
export function knownTags({ headers }: Request): string[] {
  return headers['if-none-match']?.split(',').map((tag) => tag.trim().replace(/^W\//, '')) ?? [];
}
