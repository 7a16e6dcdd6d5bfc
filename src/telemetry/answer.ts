/** What was answered to a request, told once it was sent or given up. */
export interface Answer {
  /** Of the answer's `X-Request-Id`; null for what is no HTTP. */
  readonly requestId: string | null;
  /** A path of the interface, or `other`: callers put anything into others. */
  readonly route: string;
  /** A method of HTTP, or `other`. */
  readonly method: string;
  /** `none`: its client left, or it was cut, before it began. */
  readonly status: number | 'none';
  /** From the end of the request's headers on. */
  readonly seconds: number;
  /** On the connection, with headers, before encryption. */
  readonly bytes: number;
  /** Left by its client, cut by the service, or neither. */
  readonly ended: 'complete' | 'left' | 'cut';
  /** Whose valid token or credentials it came with; null: counted in the anonymous quota. */
  readonly customer: string | null;
  /** The window of the quota that refused it. */
  readonly refusedBy: string | null;
}
