import { tracingChannel } from 'node:diagnostics_channel';
import type { TraceParent } from '../http/trace-context.js';
import type { FinishedResponse } from './finished-response.js';

/** What the service publishes about a request. */
export interface TracedRequest {
  /** A path of the interface, or `other`. */
  readonly route: string;
  /** A method of HTTP that Node knows, or `other`. */
  readonly method: string;
  /** The span of the caller, if the request names a valid one. */
  readonly parent?: TraceParent;
  /** The trace ID for log lines. At first it is that of the caller. A subscriber of `start` may set another one. */
  traceId?: string;
  /** The outcome. Undefined at the start. */
  response?: FinishedResponse;
}

/**
 * Publishes `start` before the service handles a request, and `asyncEnd` when the response was sent or aborted. Both
 * pass the same object. The service handles the request within the stores that are bound to `start`.
 */
export const requestChannel = tracingChannel<unknown, TracedRequest>('customer-data:request');
