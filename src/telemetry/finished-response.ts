import type { AbortReason } from '../http/abort.js';

/** What was answered to a request, told once it was sent or given up. */
export interface FinishedResponse {
  /** Of the answer's `X-Request-Id`. */
  readonly requestId: string;
  /** A path of the interface, or `other`: callers put anything into others. */
  readonly route: string;
  /** A method of HTTP, or `other`. */
  readonly method: string;
  /** None: its client left, or it was cut, before it began. */
  readonly status?: number;
  /** From the end of the request's headers on. */
  readonly seconds: number;
  /** Given to the connection, with headers, before encryption. */
  readonly bytes: number;
  /** Left by its client, cut by the service, or neither. */
  readonly ended: 'complete' | 'left' | 'aborted';
  readonly abortReason?: AbortReason;
  /** Whose valid token or credentials it came with. */
  readonly customer?: string;
  /** The quota that it was counted in; none: it was no HTTP, and is counted in none. */
  readonly bucket?: 'customer' | 'anonymous';
  /** The window of the quota that refused it. */
  readonly refusedBy?: string;
}
