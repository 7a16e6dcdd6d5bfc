import type { BucketCount, QuotaWindow } from './quota-window.js';

/** A window with the most requests that it admits. */
export interface LimitedWindow extends QuotaWindow {
  readonly limit: number;
}

/** What becomes of a request that was counted, and the window that its answer describes. */
export interface Verdict {
  readonly admitted: boolean;
  readonly window: LimitedWindow;
  /** Calls left in that window. */
  readonly remaining: number;
  /** When it ends, in milliseconds since 1970. */
  readonly endsAt: number;
  /** Seconds to its end, rounded up, at least 1: a client that waits exactly so long is admitted. */
  readonly retryAfter: number;
}

/**
 * Judges a request by the windows that counted it. It is refused if any of them had no call left for it. A refusal
 * describes, of the windows that have none left for the next request either, the one that ends last; otherwise the
 * answer describes the window with the fewest calls left, the shorter one where they are equal.
 */
export function judge(windows: readonly LimitedWindow[], { now, counts }: BucketCount): Verdict {
  const states = windows.map((window, index) => {
    const { hits, endsAt } = counts[index]!;
    return { window, endsAt, admitted: hits <= window.limit, remaining: Math.max(0, window.limit - hits) };
  });
  const admitted = states.every((state) => state.admitted);
  const byEnd = states.filter(({ remaining }) => remaining === 0).toSorted((a, b) => b.endsAt - a.endsAt);
  const byRemaining = states.toSorted((a, b) => a.remaining - b.remaining || a.window.ttl - b.window.ttl);
  const { window, remaining, endsAt } = (admitted ? byRemaining : byEnd)[0]!;
  return { admitted, window, remaining, endsAt, retryAfter: Math.max(1, Math.ceil((endsAt - now) / 1000)) };
}
