import type { Request, Response } from 'express';
import { createHash } from 'node:crypto';

/** The headers that let a client cache a response and revalidate it. */
export interface ValidatorHeaders extends Record<string, string> {
  ETag: string;
  'Cache-Control': string;
  Vary: string;
}

/**
 * Returns a strong validator: two responses with the same `ETag` have the same bytes, from any replica.
 * @param inputs everything that determines the bytes, convertible to JSON
 */
export function validatorOf(inputs: unknown): ValidatorHeaders {
  return validatorHeaders(`"${digestOf(inputs)}"`);
}

/** Returns the headers for this `ETag`. @param etag with its quotes */
export function validatorHeaders(etag: string, cacheControl = 'private, no-cache'): ValidatorHeaders {
  return { ETag: etag, 'Cache-Control': cacheControl, Vary: 'Authorization, Accept, Accept-Encoding' };
}

/** Returns 192 bits of the SHA-256 of a value as JSON, in 32 characters. */
export function digestOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('base64url').slice(0, 32);
}

/** Sets the validator of a response that Express sends. Express turns it into a 304 if the client has this `ETag`. */
export function setValidator(response: Response, inputs: unknown): void {
  response.set(validatorOf(inputs));
  // `Cache-Control` is meant for caches. `fetch` adds "no-cache" to every conditional request, and Express would never
  // respond with 304 to a request that has it.
  delete response.req.headers['cache-control'];
}

/** Whether the client has the response with this strong `ETag`. The comparison is weak (RFC 9110 §13.1.2). */
export function isFresh(request: Request, etag: string): boolean {
  const tags = knownTags(request);
  return tags.includes(etag) || (tags.length === 1 && tags[0] === '*');
}

/** Returns the tags in `If-None-Match`, each with its quotes and without `W/`, or `*`. */
export function knownTags({ headers }: Request): string[] {
  return headers['if-none-match']?.split(',').map((tag) => tag.trim().replace(/^W\//, '')) ?? [];
}
