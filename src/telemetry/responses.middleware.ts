import { Injectable, type NestMiddleware } from '@nestjs/common';
import type { Express, NextFunction, Request, Response } from 'express';
import { METHODS } from 'node:http';
import type { Socket } from 'node:net';
import { provenCustomer } from '../auth/identity.js';
import { unprovenClientId } from '../auth/unproven-client-id.js';
import { abortReason } from '../http/abort.js';
import { clientAddress } from '../http/client-address.js';
import { SymbolProperty } from '../http/symbol-property.js';
import { requestIdOf } from '../http/request-id.js';
import { keepTrace, parseTraceparent, traceIdOf } from '../http/trace-context.js';
import type { FinishedResponse } from './finished-response.js';
import { MetricsService } from './metrics.service.js';
import { requestChannel, type TracedRequest } from './request-channel.js';
import { RequestLog } from './request-log.js';

const KNOWN_METHODS = new Set(METHODS);

/** Reports every response once to metrics, log and traces, when it is sent or aborted. */
@Injectable()
export class ResponsesMiddleware implements NestMiddleware {
  private routes: ReadonlySet<string> = new Set();
  /** For each connection, the bytes that are already reported. */
  private readonly reported = new SymbolProperty<Socket, number>('reported bytes');

  constructor(
    private readonly metrics: MetricsService,
    private readonly log: RequestLog,
  ) {}

  /** Reads the paths of the interface. Call it when all routes are registered. */
  readRoutes({ router }: Express): void {
    const routes = router.stack.flatMap(({ route }) => route ?? []);
    this.routes = new Set(routes.map(({ path }) => path));
    for (const { path, stack } of routes)
      for (const { method } of stack) this.metrics.initialize(path, method.toUpperCase());
  }

  use(request: Request, response: Response, next: NextFunction): void {
    const start = process.hrtime.bigint();
    const [route, address] = [this.routeOf(request), clientAddress(request)];
    const traced = tracedRequest(request, route);
    const end = () => {
      response.off('finish', end).off('close', end);
      const seconds = Number(process.hrtime.bigint() - start) / 1e9;
      const bytes = this.bytesSince(request);
      const finished = { route, address, seconds, ...outcomeOf(request, response), bytes };
      this.report(finished);
      if (traced) requestChannel.asyncEnd.publish(Object.assign(traced, { response: finished }));
    };
    // Must be the first listener, because Node's own listener detaches the connection from the response.
    response.prependListener('finish', end).once('close', end);
    if (traced) requestChannel.start.runStores(traced, () => next());
    else next();
  }

  /** Reports the response to bytes that are not HTTP. Such a response passed through no middleware. */
  reportUnreadable(response: { requestId: string; status: number; bytes: number; address?: string }): void {
    this.report({ ...response, route: 'other', method: 'other', seconds: 0, ended: 'complete' });
  }

  private report(response: FinishedResponse): void {
    this.metrics.count(response);
    this.log.write(response);
  }

  private routeOf({ path }: Request): string {
    return this.routes.has(path) ? path : 'other';
  }

  private bytesSince({ socket }: Request): number {
    const { bytesWritten } = socket;
    const bytes = bytesWritten - (this.reported.get(socket) ?? 0);
    this.reported.set(socket, bytesWritten);
    return bytes;
  }
}

/** Returns what subscribers learn about a request. Undefined if there are none. Keeps the trace ID for log lines. */
function tracedRequest(request: Request, route: string): TracedRequest | undefined {
  const parent = parseTraceparent(request.get('traceparent'));
  const hasSubscribers = requestChannel.hasSubscribers;
  if (!parent && !hasSubscribers) return undefined;
  const traced = { route, method: methodOf(request), parent, traceId: parent?.traceId };
  keepTrace(request, traced);
  return hasSubscribers ? traced : undefined;
}

function methodOf({ method }: Request): string {
  return KNOWN_METHODS.has(method) ? method : 'other';
}

function outcomeOf(
  request: Request,
  response: Response,
): Omit<FinishedResponse, 'route' | 'address' | 'seconds' | 'bytes'> {
  const reason = abortReason(request);
  const customer = provenCustomer(request);
  const withoutAbort = response.writableFinished ? 'complete' : 'left';
  return {
    requestId: requestIdOf(request),
    traceId: traceIdOf(request),
    method: methodOf(request),
    // Before a response begins, its status is meaningless.
    status: response.headersSent ? response.statusCode : undefined,
    ended: reason ? 'aborted' : withoutAbort,
    abortReason: reason,
    customer: customer?.customerCode,
    keyId: customer?.grant.apiKeyId,
    unprovenClientId: customer ? undefined : unprovenClientId(request),
    bucket: customer ? 'customer' : 'anonymous',
    refusedBy: response.statusCode === 429 ? String(response.getHeader('X-Rate-Limit-Limit')) : undefined,
    etag: response.headersSent ? (response.getHeader('ETag') as string | undefined) : undefined,
  };
}
