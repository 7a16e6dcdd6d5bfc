import { Injectable, type NestMiddleware } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import { METHODS } from 'node:http';
import { provenCustomer } from '../auth/identity.js';
import { wasCut } from '../http/cut.js';
import { requestIdOf } from '../http/request-id.js';
import type { Answer } from './answer.js';
import { MetricsService } from './metrics.service.js';
import { RequestLog } from './request-log.js';

const KNOWN_METHODS = new Set(METHODS);

/** Looks at every answer once, when it is finished or given up, and tells metrics and log of it. */
@Injectable()
export class AnswersMiddleware implements NestMiddleware {
  private routes?: ReadonlySet<string>;
  /** Bytes of a connection that were told of already. */
  private readonly told = new WeakMap<object, number>();

  constructor(
    private readonly metrics: MetricsService,
    private readonly log: RequestLog,
  ) {}

  use(request: Request, response: Response, next: NextFunction): void {
    const start = process.hrtime.bigint();
    const route = this.routeOf(request);
    const end = () => {
      response.off('finish', end).off('close', end);
      this.tell({ ...this.answer(request, response), route, seconds: Number(process.hrtime.bigint() - start) / 1e9 });
    };
    // First of all listeners: Node's own one begins to send the next answer of the connection.
    response.prependListener('finish', end).on('close', end);
    next();
  }

  /** Tells of the answer to what is no HTTP, which is no request and has passed no middleware. */
  tellUnreadable(status: number): void {
    this.tell({
      requestId: null,
      route: 'other',
      method: 'other',
      status,
      seconds: 0,
      bytes: 0,
      ended: 'complete',
      customer: null,
      refusedBy: null,
    });
  }

  private tell(answer: Answer): void {
    this.metrics.count(answer);
    this.log.write(answer);
  }

  private routeOf({ app, path }: Request): string {
    this.routes ??= new Set(app.router.stack.flatMap((layer) => layer.route?.path ?? []));
    return this.routes.has(path) ? path : 'other';
  }

  private answer(request: Request, response: Response): Omit<Answer, 'route' | 'seconds'> {
    const { method, socket } = request;
    const bytes = socket.bytesWritten - (this.told.get(socket) ?? 0);
    this.told.set(socket, socket.bytesWritten);
    const given = response.writableFinished ? 'complete' : 'left';
    return {
      requestId: requestIdOf(request),
      method: KNOWN_METHODS.has(method) ? method : 'other',
      // The status that an answer has before it begins tells nothing.
      status: response.headersSent ? response.statusCode : 'none',
      bytes,
      ended: wasCut(request) ? 'cut' : given,
      customer: provenCustomer(request) ?? null,
      refusedBy: response.statusCode === 429 ? String(response.getHeader('X-Rate-Limit-Limit')) : null,
    };
  }
}
