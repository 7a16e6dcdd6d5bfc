import type { LoggerService, NestMiddleware } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ExpressAdapter, type NestExpressApplication } from '@nestjs/platform-express';
import express from 'express';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppModule } from './app.module.js';
import { IdentityMiddleware } from './auth/identity.middleware.js';
import { TokenRequestMiddleware } from './auth/token-request.middleware.js';
import { ProductDocuments } from './catalog/product-documents.js';
import type { Settings } from './config/settings.js';
import { DatabaseService } from './database/database.service.js';
import { type DemoCredentials, DemoService } from './demo/demo.service.js';
import { Drain } from './health/drain.js';
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

/** How long answers under way may take after the drain: with its 5 s, less than the 30 s after which Kubernetes kills. */
const GRACE_MS = 20_000;

/** How long a client may take to send a request, which has no body but the form of a token request. */
const REQUEST_MS = 60_000;

/** A running service. */
export interface Service {
  /** The ports that it listens on, which differ from the settings where those are 0. */
  readonly port: number;
  readonly managementPort: number;
  /** Resolves when the database is first ready, with credentials where the demo data was loaded. */
  readonly ready: Promise<DemoCredentials | undefined>;
  /** Goes on for the drain setting, lets answers under way finish, then closes everything. */
  close(): Promise<void>;
  /**
   * Resets every connection with a response under way, for a process that ends at once. Otherwise the system would close
   * them in order, and a client of HTTP/1.0 would take what it has for the whole.
   */
  abort(): void;
}

/** Starts the service: both ports listen when this resolves, whether or not the database is there yet. */
export async function startService(settings: Settings, logger: LoggerService): Promise<Service> {
  const app = await createApp(settings, logger);
  const database = app.get(DatabaseService);
  const drain = app.get(Drain);
  const module = ManagementModule.of(database, drain, app.get(MetricsService));
  const management = await NestFactory.create<NestExpressApplication>(module, { logger });
  management.disable('x-powered-by').disable('etag');
  await app.get(QuotaService).start();
  await app.init();
  app.get(ResponsesMiddleware).learn(app.getHttpAdapter().getInstance());
  // Monitoring keeps its connection between two scrapes, too: closed meanwhile, it may just be sending the next one.
  for (const one of [app, management]) {
    const server = one.getHttpServer();
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
      // As the command `migrate` does. Answers are right without it, too, only slower: it must not end the service.
      if (settings.MIGRATE_ON_START)
        await app
          .get(ProductDocuments)
          .build()
          .catch((error: Error) => logger.warn(`Documents of products could not be made: ${error.message}`));
      return app.get(DemoService).loadIntoEmpty();
    }),
    close: async () => {
      drain.begin();
      await sleep(settings.DRAIN_SECONDS * 1000);
      // A client that never finishes, or never begins, must not keep the process until it is killed.
      setTimeout(() => {
        drain.abortAll();
        for (const one of [app, management]) one.getHttpServer().closeAllConnections();
      }, GRACE_MS).unref();
      drain.closeWhenIdle();
      await app.close();
      await drain.closed();
      await management.close();
    },
    abort: () => drain.abortAll(),
  };
}

async function createApp(settings: Settings, logger: LoggerService): Promise<NestExpressApplication> {
  const server = express();
  // Paths are what the interface spells, to the letter; the router is built on first use, hence before Nest.
  server.enable('strict routing').enable('case sensitive routing').disable('x-powered-by').disable('etag');
  const app = await NestFactory.create<NestExpressApplication>(AppModule.with(settings), new ExpressAdapter(server), {
    logger,
    bodyParser: false,
  });
  // Mounted on the bare server, in this order: a path that no pattern matches passes through them too.
  app.use(requestId);
  const responses = app.get(ResponsesMiddleware);
  for (const type of [ResponsesMiddleware, Drain, IdentityMiddleware, TokenRequestMiddleware, QuotaMiddleware]) {
    const middleware = app.get<NestMiddleware>(type);
    app.use(middleware.use.bind(middleware));
  }
  app.use(refuseUnreadable);
  const http = app.getHttpServer();
  sendBeforeClosing(http);
  http.requestTimeout = REQUEST_MS;
  admitUnreadableRequests(http, (...response) => responses.reportUnreadable(...response));
  return app;
}

function portOf(app: NestExpressApplication): number {
  return (app.getHttpServer().address() as AddressInfo).port;
}
