import type { ReceivedResponse } from './http.js';

/** The quota window that a request counted in, from the headers of its response. */
export interface QuotaWindow {
  /** `1m` or `1h`. */
  label: string;
  remaining: number;
  /** ISO 8601 in UTC. */
  reset: string;
}

/** undefined if the response has no quota headers. */
export function quotaWindowOf({ headers }: Pick<ReceivedResponse, 'headers'>): QuotaWindow | undefined {
  const [label, remaining, reset] = ['limit', 'remaining', 'reset'].map((name) => headers[`x-rate-limit-${name}`]);
  if (!label || !remaining || !reset) return undefined;
  return { label: String(label), remaining: Number(remaining), reset: String(reset) };
}

/** Milliseconds from a response to the end of its window, by the clock of the server. */
export function millisecondsLeft({ headers }: Pick<ReceivedResponse, 'headers'>, { reset }: QuotaWindow): number {
  // The header Date has whole seconds, rounded down, so the result is up to a second too long.
  return Date.parse(reset) - Date.parse(headers.date ?? '');
}
