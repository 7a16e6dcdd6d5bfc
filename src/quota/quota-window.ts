/** A fixed window of a quota: it starts with the first request that it counts and ends `ttl` later, come what may. */
export interface QuotaWindow {
  /** As answers name it: `1m`, `1h`. */
  readonly name: string;
  /** Length in milliseconds. */
  readonly ttl: number;
}

/** How far a window is used up. */
export interface WindowCount {
  /** Requests counted in it so far, refused ones too. */
  readonly hits: number;
  /** When it ends, in milliseconds since 1970 by the clock of the storage. */
  readonly endsAt: number;
}

/** The windows of one bucket, in the order asked for, and the storage's time at which that was so. */
export interface BucketCount {
  readonly now: number;
  readonly counts: readonly WindowCount[];
}
