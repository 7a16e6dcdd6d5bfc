import type { NextFunction, Request, Response } from 'express';
import { randomUUID } from 'node:crypto';

const HEADER = 'X-Request-Id';
const VALID_ID = /^[A-Za-z0-9._-]{1,128}$/;

/**
 * Sets the request ID of every response: the client's ID if it is valid, else a new one. The log contains it, too.
 */
export function requestId(request: Request, response: Response, next: NextFunction): void {
  const incoming = request.headers['x-request-id'];
  response.setHeader(HEADER, typeof incoming === 'string' && VALID_ID.test(incoming) ? incoming : randomUUID());
  next();
}

/** Returns the request ID of the response to this request. */
export function requestIdOf({ res }: Pick<Request, 'res'>): string {
  return String(res?.getHeader(HEADER));
}
