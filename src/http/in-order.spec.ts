import type { NextFunction, Request, Response } from 'express';
import { inOrder } from './in-order.js';

const FAILURE = new Error('It failed');

const passOn = (next: NextFunction) => next();

/** Runs middlewares, of which the second one is given. Returns the steps that ran, and what `done` received. */
async function run(
  second: (next: NextFunction) => void | Promise<void>,
): Promise<{ steps: string[]; outcomes: unknown[] }> {
  const steps: string[] = [];
  const outcomes: unknown[] = [];
  const step = (name: string, handle: (next: NextFunction) => void | Promise<void>) => {
    return (_request: Request, _response: Response, next: NextFunction) => {
      steps.push(name);
      return handle(next);
    };
  };
  const combined = inOrder([step('first', passOn), step('second', second), step('third', passOn)]);
  combined({} as Request, {} as Response, (error?: unknown) => void outcomes.push(error));
  await new Promise(setImmediate);
  return { steps, outcomes };
}

test.each<[string, (next: NextFunction) => void | Promise<void>]>([
  ['passes on', passOn],
  [
    'passes on later',
    async (next) => {
      await undefined;
      next();
    },
  ],
])('runs the middlewares in order if each of them %s', async (_case, second) => {
  expect(await run(second)).toEqual({ steps: ['first', 'second', 'third'], outcomes: [undefined] });
});

test.each<[string, (next: NextFunction) => void | Promise<void>]>([
  ['passes an error on', (next) => next(FAILURE)],
  [
    'throws',
    () => {
      throw FAILURE;
    },
  ],
  ['rejects', () => Promise.reject(FAILURE)],
])('skips the others if a middleware %s', async (_case, second) => {
  expect(await run(second)).toEqual({ steps: ['first', 'second'], outcomes: [FAILURE] });
});

test('skips the others if a middleware rejects without a reason', async () => {
  expect(await run(() => Promise.reject())).toEqual({ steps: ['first', 'second'], outcomes: [expect.any(Error)] });
});

test('runs no further middleware if one responds itself', async () => {
  expect(await run(() => undefined)).toEqual({ steps: ['first', 'second'], outcomes: [] });
});
