import { Inject, Injectable, Logger } from '@nestjs/common';
import { SETTINGS, type Settings } from '../config/settings.js';
import type { FinishedResponse } from './finished-response.js';

/** A line for each request, with nothing in it that its caller made up, but for a sane id. */
@Injectable()
export class RequestLog {
  private readonly logger = new Logger('Request');

  constructor(@Inject(SETTINGS) private readonly settings: Settings) {}

  write(response: FinishedResponse): void {
    if (!this.settings.LOG_REQUESTS) return;
    const { seconds, ...others } = response;
    const fields = { ...others, milliseconds: Math.round(seconds * 10_000) / 10 };
    // What failed is reported beside it, with its stack, under the same id.
    if ((response.status ?? 0) >= 500) this.logger.error(inWords(response), fields);
    else this.logger.log(inWords(response), fields);
  }
}

function inWords(response: FinishedResponse): string {
  const {
    requestId,
    method,
    route,
    status = 'no response',
    seconds,
    bytes,
    ended,
    customer,
    bucket,
    refusedBy,
  } = response;
  const words = [
    `${method} ${route} ${status}`,
    `${Math.round(seconds * 1000)} ms`,
    `${bytes} bytes`,
    customer ?? bucket,
    refusedBy && `quota of ${refusedBy} used up`,
    ended === 'left' && 'its client left',
    ended === 'aborted' && `aborted: ${response.abortReason}`,
    requestId,
  ];
  return words.filter(Boolean).join(', ');
}
