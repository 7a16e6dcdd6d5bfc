import type { LoggerService, NestMiddleware, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import express from 'express';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppModule } from './app.module.js';
import { IdentityMiddleware } from './auth/identity.middleware.js';
import { TokenRequestMiddleware } from './auth/token-request.middleware.js';
import { ProductDocuments } from './catalog/product-documents.js';
import { command } from './config/command.js';
import type { Settings } from './config/settings.js';
import { DatabaseService } from './database/database.service.js';
import { type DemoCredentials, DemoService } from './demo/demo.service.js';
import { Drain } from './health/drain.js';
import { withinHops } from './http/client-address.js';
import { ExpressServerAdapter } from './http/express-server.adapter.js';
import { inOrder } from './http/in-order.js';
import { admitConnectMethod } from './http/connect-method.js';
import { dispatchOneAtATime } from './http/pipelining.js';
import { requestId } from './http/request-id.js';
import { admitUnreadableRequests, refuseUnreadable } from './http/unreadable-requests.js';
import { sendBeforeClosing } from './http/unsent-responses.js';
import { ManagementModule } from './management.module.js';
import { QuotaMiddleware } from './quota/quota.middleware.js';
import { QuotaService } from './quota/quota.service.js';
import { ResponsesMiddleware } from './telemetry/responses.middleware.js';
import { MetricsService } from './telemetry/metrics.service.js';

/**
 * How long unfinished responses may take after the drain, in milliseconds. Together with the default drain of 5 s this
 * is less than the 30 s after which Kubernetes kills the process.
 */
const GRACE_MS = 20_000;

/**
 * How long a client may take to send a request, in milliseconds. Requests are small: only token requests have a body.
 */
const REQUEST_MS = 60_000;

/** A running service. */
export interface Service {
  /** The public port that the service listens on. It differs from the setting if that is 0. */
  readonly port: number;
  /** The management port that the service listens on. It differs from the setting if that is 0. */
  readonly managementPort: number;
  /** Resolves when the database is ready for the first time, with credentials if the demo data was loaded. */
  readonly ready: Promise<DemoCredentials | undefined>;
  /** Serves requests for `DRAIN_SECONDS` more, lets unfinished responses finish, then closes everything. */
  close(): Promise<void>;
  /**
   * Resets every connection with an unfinished response, before a process ends at once. Otherwise the operating system
   * would close them normally, and an HTTP/1.0 client would mistake a partial response for a complete one.
   */
  abort(): void;
}

/** Starts the service. When this resolves, both ports listen, even if the database is not available yet. */
export async function startService(given: Settings, logger: LoggerService): Promise<Service> {
  // Only a sandbox loads this module.
  const sandbox = given.SANDBOX ? await (await import('./sandbox/sandbox.js')).openSandbox(given, logger) : undefined;
  const settings = sandbox?.settings ?? given;
  const app = await createApp(settings, logger, sandbox?.modules);
  const database = app.get(DatabaseService);
  const drain = app.get(Drain);
  const module = ManagementModule.of(database, drain, app.get(MetricsService));
  const management = await NestFactory.create<NestExpressApplication>(module, { logger });
  management.disable('x-powered-by').disable('etag');
  await app.get(TokenRequestMiddleware).prepare();
  await app.get(QuotaService).start();
  await app.init();
  app.get(ResponsesMiddleware).readRoutes(app.getHttpAdapter().getInstance());
  // Prometheus also keeps its connection between two scrapes. If the service closed it, a scrape could be lost.
  for (const application of [app, management]) {
    const server = application.getHttpServer();
    server.keepAliveTimeout = settings.KEEP_ALIVE_SECONDS * 1000;
    dispatchOneAtATime(server);
    admitConnectMethod(server);
  }
  await app.listen(settings.PORT);
  await management.listen(settings.MANAGEMENT_PORT);
  return {
    port: portOf(app),
    managementPort: portOf(management),
    ready: database.start().then(async (usable) => {
      if (!usable) return undefined;
      await buildOrCheckDocuments(app.get(ProductDocuments), settings, logger);
      return app.get(DemoService).loadIntoEmpty();
    }),
    close: async () => {
      drain.begin();
      await sleep(settings.DRAIN_SECONDS * 1000);
      // A client that never finishes its request or its download must not keep the process running.
      setTimeout(() => {
        drain.abortAll();
        for (const application of [app, management]) application.getHttpServer().closeAllConnections();
      }, GRACE_MS).unref();
      drain.closeWhenIdle();
      await app.close();
      await drain.closed();
      await management.close();
      sandbox?.remove();
    },
    abort: () => drain.abortAll(),
  };
}

/**
 * Builds missing product documents if the service migrates the database itself, as the command `migrate` does. Otherwise
 * only warns, because operators may grant the service no right to write. A failure must not end the service, because
 * responses without stored documents are correct, only slower.
 */
async function buildOrCheckDocuments(
  documents: ProductDocuments,
  { MIGRATE_ON_START }: Settings,
  logger: LoggerService,
): Promise<void> {
  try {
    if (MIGRATE_ON_START) await documents.build();
    else if (await documents.areMissing())
      logger.warn(
        `Stored product documents are missing, so /products is slower. To build them, run: ${command('documents build')}`,
      );
  } catch (error) {
    logger.warn(`The product documents could not be built or checked: ${(error as Error).message}`);
  }
}

async function createApp(
  settings: Settings,
  logger: LoggerService,
  further?: readonly Type[],
): Promise<NestExpressApplication> {
  const server = express();
  // Paths match exactly as the interface spells them. Set this before Nest, because Express builds its router on first
  // use.
  server.enable('strict routing').enable('case sensitive routing').disable('x-powered-by').disable('etag');
  // The log contains the address of the client. Nothing else depends on it.
  server.set('trust proxy', settings.TRUSTED_PROXIES);
  server.set('trust proxy', withinHops(server.get('trust proxy fn')));
  const module = AppModule.with(settings, further);
  const app = await NestFactory.create<NestExpressApplication>(module, new ExpressServerAdapter(server), {
    logger,
    bodyParser: false,
  });
  // Mounted on the Express application itself, in this order, so that requests for unknown paths pass through them too.
  const responses = app.get(ResponsesMiddleware);
  const types = [ResponsesMiddleware, Drain, IdentityMiddleware, TokenRequestMiddleware, QuotaMiddleware];
  const middlewares = types.map((type) => {
    const middleware = app.get<NestMiddleware>(type);
    return middleware.use.bind(middleware);
  });
  app.use(inOrder([requestId, ...middlewares, refuseUnreadable]));
  const http = app.getHttpServer();
  sendBeforeClosing(http);
  http.requestTimeout = REQUEST_MS;
  admitUnreadableRequests(http, (response) => responses.reportUnreadable(response));
  return app;
}

function portOf(app: NestExpressApplication): number {
  return (app.getHttpServer().address() as AddressInfo).port;
}
