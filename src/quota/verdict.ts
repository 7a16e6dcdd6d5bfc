import type { BucketCount, QuotaWindow } from './quota-window.js';

/** A window with the number of requests that it admits. */
export interface LimitedWindow extends QuotaWindow {
  readonly limit: number;
}

/** The state of a window after it counted a request. */
interface WindowState {
  readonly window: LimitedWindow;
  /** Requests counted so far, including refused ones. */
  readonly hits: number;
  /** Requests left. */
  readonly remaining: number;
  /** When the window ends, in milliseconds since 1970. */
  readonly endsAt: number;
}

/** The decision on a counted request, and the window that the headers of its response describe. */
export interface Verdict {
  readonly admitted: boolean;
  readonly window: LimitedWindow;
  /** Requests left in that window. */
  readonly remaining: number;
  /** End of that window, in milliseconds since 1970. */
  readonly endsAt: number;
  /** Seconds until its end, rounded up, at least 1. A client that waits exactly this long is admitted. */
  readonly retryAfter: number;
  /** All windows, in the order of the counts. */
  readonly windows: readonly WindowState[];
}

/**
 * Decides on a request by the windows that counted it. The request is refused if any window had no request left. A
 * refusal describes the exhausted window that ends last. A window is exhausted if it would also refuse the next
 * request. For an admitted request the response describes the window with the fewest requests left; if both have the
 * same number left, it describes the shorter window.
 */
export function judge(windows: readonly LimitedWindow[], { now, counts }: BucketCount): Verdict {
  const states: WindowState[] = windows.map((window, index) => {
    const { hits, endsAt } = counts[index]!;
    return { window, hits, remaining: Math.max(0, window.limit - hits), endsAt };
  });
  const admitted = states.every(({ window, hits }) => hits <= window.limit);
  const { window, remaining, endsAt } = (admitted ? byRemaining : exhaustedByEnd)(states)[0]!;
  const retryAfter = Math.max(1, Math.ceil((endsAt - now) / 1000));
  return { admitted, window, remaining, endsAt, retryAfter, windows: states };
}

function byRemaining(states: readonly WindowState[]): WindowState[] {
  return states.toSorted((a, b) => a.remaining - b.remaining || a.window.ttl - b.window.ttl);
}

function exhaustedByEnd(states: readonly WindowState[]): WindowState[] {
  return states.filter(({ remaining }) => remaining === 0).toSorted((a, b) => b.endsAt - a.endsAt);
}
