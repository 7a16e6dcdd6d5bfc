import type { Response } from 'express';
import { isFresh } from './validator.js';

/** Sends a value as JSON. If the response has an `ETag` and the client has the value already, sends a 304 instead. */
export function sendJson(response: Response, value: unknown): void {
  const etag = response.getHeader('ETag');
  if (typeof etag === 'string' && isFresh(response.req, etag)) {
    response.statusCode = 304;
    return void response.end();
  }
  const text = JSON.stringify(value);
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  response.setHeader('Content-Length', Buffer.byteLength(text));
  // Node sends no body in response to HEAD.
  response.end(text);
}
