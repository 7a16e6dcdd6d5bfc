import { type NextFunction, raw, type Request, type Response } from 'express';
import { TOKEN_PATH } from '../http/token-path.js';
import { invalidRequest } from './token-error.js';

/** Far more than any code and key take. */
const LIMIT = '16kb';

const read = raw({ type: () => true, limit: LIMIT });

/** Forbids every cache to keep an answer of the token endpoint, and reads the body of its requests, whatever its type. */
export function tokenBody(request: Request, response: Response, next: NextFunction): void {
  if (request.path !== TOKEN_PATH) return next();
  response.set({ 'Cache-Control': 'no-store', Pragma: 'no-cache' });
  if (request.method !== 'POST') return next();
  read(request, response, (error?: unknown) => {
    const status = (error as { status?: number } | undefined)?.status ?? 400;
    next(error ? invalidRequest(`The body cannot be read: send a form of at most ${LIMIT}.`, status) : undefined);
  });
}
