import type { Request } from 'express';
import { hash } from 'node:crypto';

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
  return hash('sha256', JSON.stringify(value), 'base64url').slice(0, 32);
}

/** Whether the client has the response with this strong `ETag`. The comparison is weak (RFC 9110 §13.1.2). */
export function isFresh(request: Request, etag: string): boolean {
  const known = request.headers['if-none-match'];
  if (known === undefined) return false;
  // Most clients return the tag unchanged.
  return known === etag || known.trim() === '*' || knownTags(request).includes(normalized(etag));
}

/** Returns the tags in `If-None-Match`, each with its quotes and as the service sent it. */
export function knownTags({ headers }: Request): string[] {
  return headers['if-none-match']?.split(',').map(normalized) ?? [];
}

/**
 * What a proxy adds to a tag when it compresses a body: `-gzip` and `-br` (Apache, Caddy), `--gzip` (Jetty), `;gzip`
 * (Django), `-df` (Traffic Server). Apache does not remove it from `If-None-Match`.
 */
const COMPRESSED = /(?:--?|;)(?:gzip|br|zstd|deflate|df)$/;

/**
 * Undoes what clients and proxies do to a tag: they weaken it, drop its quotes, or add a suffix. The digest at the
 * beginning of a tag covers everything that the tag identifies, so tags of different bodies stay different.
 */
function normalized(tag: string): string {
  return `"${tag.trim().replace(/^W\//, '').replaceAll('"', '').replace(COMPRESSED, '')}"`;
}
