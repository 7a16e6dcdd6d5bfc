import type { AbortReason } from '../http/abort.js';

/** The outcome of a request, reported once its response was sent or aborted. */
export interface FinishedResponse {
  /** The `X-Request-Id` of the response. */
  readonly requestId: string;
  /** The trace that the request belongs to. */
  readonly traceId?: string;
  /** A path of the interface, or `other`, because clients may put anything into another path. */
  readonly route: string;
  /** A method of HTTP that Node knows, or `other`. */
  readonly method: string;
  /** Undefined if the client disconnected, or the service aborted the response, before it began. */
  readonly status?: number;
  /** Time since the headers of the request were complete. */
  readonly seconds: number;
  /** Bytes written to the connection, with headers, before encryption. */
  readonly bytes: number;
  /** `left`: the client disconnected. `aborted`: the service aborted the response. */
  readonly ended: 'complete' | 'left' | 'aborted';
  readonly abortReason?: AbortReason;
  /** The address of the client. Undefined if the connection was closed before the request was read. */
  readonly address?: string;
  /** The customer whose valid token or credentials the request had. */
  readonly customer?: string;
  /** The ID of the API key that the credentials contain, or that issued the token. */
  readonly keyId?: number;
  /** The client ID of a token request without valid credentials, in a form that may be logged. */
  readonly unprovenClientId?: string;
  /** The `ETag` of the response. */
  readonly etag?: string;
  /** The bucket that counted the request. Undefined if it was not HTTP, which no bucket counts. */
  readonly bucket?: 'customer' | 'anonymous';
  /** The window of the quota that refused the request. */
  readonly refusedBy?: string;
}
