import type { NextFunction, Request, Response } from 'express';

type Middleware = (request: Request, response: Response, next: NextFunction) => void | Promise<void>;

/**
 * Combines middlewares into one that runs them in order. For Express, this is one step instead of several. Before each
 * step, Express parses the path again and searches for the next layer that matches it.
 */
export function inOrder(middlewares: readonly Middleware[]): Middleware {
  return (request, response, done) => runFrom(0, middlewares, request, response, done);
}

/** If a middleware throws or rejects, the error goes to `done`, as in Express. */
function runFrom(index: number, middlewares: readonly Middleware[], ...parameters: Parameters<Middleware>): void {
  const [request, response, done] = parameters;
  const middleware = middlewares[index];
  if (!middleware) return done();
  const next = (error?: unknown) => (error ? done(error) : runFrom(index + 1, middlewares, request, response, done));
  try {
    middleware(request, response, next)?.catch((error: unknown) => done(error ?? new Error('Rejected promise')));
  } catch (error) {
    done(error);
  }
}
