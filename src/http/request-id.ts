import type { NextFunction, Request, Response } from 'express';
import { randomUUID } from 'node:crypto';

const HEADER = 'X-Request-Id';
const SANE = /^[A-Za-z0-9._-]{1,128}$/;

/** Gives every answer the id under which the log tells of it: the caller's own where it is sane, else a new one. */
export function requestId(request: Request, response: Response, next: NextFunction): void {
  const incoming = request.get(HEADER);
  response.setHeader(HEADER, incoming && SANE.test(incoming) ? incoming : randomUUID());
  next();
}

/** The id that the answer to this request carries. */
export function requestIdOf({ res }: Pick<Request, 'res'>): string {
  return String(res?.getHeader(HEADER));
}
