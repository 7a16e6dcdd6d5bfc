import { Injectable, type NestMiddleware } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import { METHODS } from 'node:http';
import { collectDefaultMetrics, Counter, Histogram, Registry } from 'prom-client';

/** Counts every answer once, when it is finished or given up, and tells of the process. */
@Injectable()
export class MetricsService implements NestMiddleware {
  readonly registry = new Registry();
  private readonly registers = [this.registry];
  private routes?: ReadonlySet<string>;
  /** Bytes of a connection that were counted already. */
  private readonly counted = new WeakMap<object, number>();

  private readonly duration = new Histogram({
    name: 'customer_data_request_duration_seconds',
    help: 'Requests by the time until their answer was sent or given up',
    labelNames: ['route', 'method', 'status'] as const,
    buckets: [0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 120, 600],
    registers: this.registers,
  });
  private readonly bytes = new Counter({
    name: 'customer_data_sent_bytes_total',
    help: 'Bytes of answers with their headers, before encryption',
    labelNames: ['route'] as const,
    registers: this.registers,
  });
  private readonly aborted = new Counter({
    name: 'customer_data_answers_aborted_total',
    help: 'Answers that their client left or the service cut',
    labelNames: ['route'] as const,
    registers: this.registers,
  });
  private readonly refusals = new Counter({
    name: 'customer_data_quota_refusals_total',
    help: 'Requests refused by their quota, by its window',
    labelNames: ['window'] as const,
    registers: this.registers,
  });

  constructor() {
    collectDefaultMetrics({ register: this.registry });
  }

  use(request: Request, response: Response, next: NextFunction): void {
    const { app, method, path, socket } = request;
    this.routes ??= new Set(app.router.stack.flatMap((layer) => layer.route?.path ?? []));
    const route = this.routes.has(path) ? path : 'other';
    const start = process.hrtime.bigint();
    const end = () => {
      response.off('finish', end).off('close', end);
      const seconds = Number(process.hrtime.bigint() - start) / 1e9;
      // The status that an answer has before it begins tells nothing.
      const status = response.headersSent ? response.statusCode : 'none';
      const labels = { route, method: METHODS.includes(method) ? method : 'other', status };
      this.duration.observe(labels, seconds);
      this.bytes.inc({ route }, socket.bytesWritten - (this.counted.get(socket) ?? 0));
      this.counted.set(socket, socket.bytesWritten);
      if (!response.writableFinished) this.aborted.inc({ route });
      if (response.statusCode === 429) this.refusals.inc({ window: String(response.getHeader('X-Rate-Limit-Limit')) });
    };
    // First of all listeners: Node's own one begins to send the next answer of the connection.
    response.prependListener('finish', end).on('close', end);
    next();
  }
}
