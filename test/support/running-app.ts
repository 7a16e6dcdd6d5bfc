import type { NestExpressApplication } from '@nestjs/platform-express';
import { NestFactory } from '@nestjs/core';
import { type Environment, type TestDatabase, TestService } from './test-service.js';

/** Starts a service, and returns it with its Nest application, for tests of internals that no request shows. */
export async function startWithApp(
  environment?: Environment,
  on?: TestDatabase,
): Promise<{ service: TestService; app: NestExpressApplication }> {
  const create = jest.spyOn(NestFactory, 'create');
  const service = await TestService.start(environment, on);
  // The first application serves the public port, the second the management port.
  const app: NestExpressApplication = await create.mock.results[0]!.value;
  create.mockRestore();
  return { service, app };
}

interface Layer {
  handle: { stack?: unknown };
  route?: { path: string; stack: { method: string }[] };
}

/** Every layer of the router. */
export const layersOf = (app: NestExpressApplication) => app.getHttpAdapter().getInstance().router.stack as Layer[];

/** Every route as method and path. */
export const routesOf = (app: NestExpressApplication) =>
  layersOf(app).flatMap(({ route }) => route?.stack.map(({ method }) => `${method.toUpperCase()} ${route.path}`) ?? []);
