import { Inject, Injectable, Logger } from '@nestjs/common';
import { SETTINGS, type Settings } from '../config/settings.js';
import type { Answer } from './answer.js';

/** A line for each request, without anything of it that may be secret: neither headers nor query nor body. */
@Injectable()
export class RequestLog {
  private readonly logger = new Logger('Request');

  constructor(@Inject(SETTINGS) private readonly settings: Settings) {}

  write({ seconds, customer, refusedBy, ...answer }: Answer): void {
    if (!this.settings.LOG_REQUESTS) return;
    const { requestId, method, route, status, bytes, ended } = answer;
    const milliseconds = Math.round(seconds * 10_000) / 10;
    const bucket = customer === null ? 'anonymous' : 'customer';
    const message = [
      `${method} ${route} ${status}`,
      `${milliseconds} ms`,
      `${bytes} bytes`,
      customer ?? bucket,
      ...(refusedBy === null ? [] : [`over quota of ${refusedBy}`]),
      ...(ended === 'complete' ? [] : [ended]),
      ...(requestId === null ? [] : [requestId]),
    ].join(', ');
    this.logger.log(message, { ...answer, milliseconds, customer, bucket, refusedBy });
  }
}
