import { Inject, Injectable, Logger } from '@nestjs/common';
import { SETTINGS, type Settings } from '../config/settings.js';
import type { Answer } from './answer.js';

/** A line for each request, with nothing in it that its caller made up, but for a sane id. */
@Injectable()
export class RequestLog {
  private readonly logger = new Logger('Request');

  constructor(@Inject(SETTINGS) private readonly settings: Settings) {}

  write(answer: Answer): void {
    if (!this.settings.LOG_REQUESTS) return;
    const { seconds, ...others } = answer;
    const fields = { ...others, milliseconds: Math.round(seconds * 10_000) / 10 };
    // What failed is told beside it, with its stack, under the same id.
    if ((answer.status ?? 0) >= 500) this.logger.error(inWords(answer), fields);
    else this.logger.log(inWords(answer), fields);
  }
}

function inWords(answer: Answer): string {
  const {
    requestId,
    method,
    route,
    status = 'not answered',
    seconds,
    bytes,
    ended,
    customer,
    bucket,
    refusedBy,
  } = answer;
  const words = [
    `${method} ${route} ${status}`,
    `${Math.round(seconds * 1000)} ms`,
    `${bytes} bytes`,
    customer ?? bucket,
    refusedBy && `quota of ${refusedBy} used up`,
    ended === 'left' && 'its client left',
    ended === 'cut' && `cut: ${answer.cutReason}`,
    requestId,
  ];
  return words.filter(Boolean).join(', ');
}
