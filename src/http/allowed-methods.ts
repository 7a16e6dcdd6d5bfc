import type { Request } from 'express';

/** Returns the methods that the routes at exactly this path support; none if the path is unknown. */
export function allowedMethods({ app, path }: Pick<Request, 'app' | 'path'>): string[] {
  const methods = app.router.stack
    .filter(({ route }) => route?.path === path)
    .flatMap(({ route }) => route!.stack.map(({ method }) => method.toUpperCase()));
  return [...new Set(methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])))];
}
