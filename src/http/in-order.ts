import type { NextFunction, Request, Response } from 'express';

type Middleware = (request: Request, response: Response, next: NextFunction) => void | Promise<void>;

/**
 * Combines middlewares into one that runs them in order. For Express, this is one step instead of several. Before each
 * step, Express parses the path again and searches for the next layer that matches it.
 */
export function inOrder(middlewares: readonly Middleware[]): Middleware {
  return middlewares.reduceRight<Middleware>(
    (rest, middleware) => followedBy(middleware, rest),
    (_request, _response, done) => done(),
  );
}

/** Runs `rest` when `middleware` calls `next`. An error of `middleware` goes to `done`, as in Express. */
function followedBy(middleware: Middleware, rest: Middleware): Middleware {
  return (request, response, done) => {
    const next = (error?: unknown) => (error ? done(error) : rest(request, response, done));
    try {
      middleware(request, response, next)?.catch((error: unknown) => done(error ?? new Error('Rejected promise')));
    } catch (error) {
      done(error);
    }
  };
}
