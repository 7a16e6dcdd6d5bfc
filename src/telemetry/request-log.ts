import { Inject, Injectable, Logger } from '@nestjs/common';
import { SETTINGS, type Settings } from '../config/settings.js';
import type { FinishedResponse } from './finished-response.js';

/**
 * Logs a line for each request. Of the client's input, it contains only a valid request ID, a valid trace ID, a valid
 * address that a trusted proxy passes on, and the client ID of a failed login. A digest replaces a client ID that may be
 * a secret.
 */
@Injectable()
export class RequestLog {
  private readonly logger = new Logger('Request');

  constructor(@Inject(SETTINGS) private readonly settings: Settings) {}

  write(response: FinishedResponse): void {
    if (!this.settings.LOG_REQUESTS) return;
    const { seconds, ...others } = response;
    const fields = { ...others, milliseconds: Math.round(seconds * 10_000) / 10 };
    // The error itself is logged separately, with its stack and the same request ID.
    if ((response.status ?? 0) >= 500) this.logger.error(inWords(response), fields);
    else this.logger.log(inWords(response), fields);
  }
}

/** The text for people leaves out the `ETag`, which is long. */
function inWords(response: FinishedResponse): string {
  const {
    requestId,
    traceId,
    method,
    route,
    status = 'no response',
    seconds,
    bytes,
    ended,
    customer,
    keyId,
    unprovenClientId,
    bucket,
    address,
    refusedBy,
  } = response;
  const words = [
    `${method} ${route} ${status}`,
    `${Math.round(seconds * 1000)} ms`,
    `${bytes} bytes`,
    customer ?? bucket,
    keyId !== undefined && `key ${keyId}`,
    unprovenClientId && `unproven client_id ${JSON.stringify(unprovenClientId)}`,
    address,
    refusedBy && `quota of ${refusedBy} exceeded`,
    ended === 'left' && 'client disconnected',
    ended === 'aborted' && `aborted: ${response.abortReason}`,
    requestId,
    traceId && `trace ${traceId}`,
  ];
  return words.filter(Boolean).join(', ');
}
