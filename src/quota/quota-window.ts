/** A fixed window of a quota. It starts with the first request that it counts and always ends `ttl` later. */
export interface QuotaWindow {
  /** The name in responses: `1m` or `1h`. */
  readonly name: string;
  /** Length in milliseconds. */
  readonly ttl: number;
}

/** The state of a window. */
export interface WindowCount {
  /** Requests counted so far, including refused ones. */
  readonly hits: number;
  /** When it ends, in milliseconds since 1970 by the clock of the storage. */
  readonly endsAt: number;
}

/** The windows of one bucket in the requested order, and the time of that state by the clock of the storage. */
export interface BucketCount {
  readonly now: number;
  readonly counts: readonly WindowCount[];
}
