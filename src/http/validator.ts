import type { Response } from 'express';
import { createHash } from 'node:crypto';

/**
 * The headers with which a client may keep an answer, and ask whether it still holds. The validator is strong: two
 * answers of the same one have the same bytes, from whichever replica.
 * @param made all that the bytes follow from, as JSON
 */
export function setValidator(response: Response, made: unknown): void {
  const hash = createHash('sha256').update(JSON.stringify(made)).digest('base64url').slice(0, 32);
  response.set({
    ETag: `"${hash}"`,
    'Cache-Control': 'private, no-cache',
    Vary: 'Authorization, Accept, Accept-Encoding',
  });
  // It speaks to caches. Express would take "no-cache", which fetch adds to every conditional request, for a wish to have
  // the answer whole, and never find that the client has it.
  delete response.req.headers['cache-control'];
}

/** Takes the headers back: an error is of no content. */
export function withdrawValidator(response: Response): void {
  for (const name of ['ETag', 'Cache-Control', 'Vary']) response.removeHeader(name);
}
