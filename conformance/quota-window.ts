import type { ReceivedResponse } from './http.js';

/** What an answer tells of the quota that it counted in. */
export interface QuotaWindow {
  /** `1m` or `1h`. */
  label: string;
  remaining: number;
  /** ISO 8601. */
  reset: string;
}

/** undefined: the answer does not tell. */
export function quotaWindowOf({ headers }: Pick<ReceivedResponse, 'headers'>): QuotaWindow | undefined {
  const [label, remaining, reset] = ['limit', 'remaining', 'reset'].map((name) => headers[`x-rate-limit-${name}`]);
  if (!label || !remaining || !reset) return undefined;
  return { label: String(label), remaining: Number(remaining), reset: String(reset) };
}

/** From when the answer was sent to the end of its window, by the clock of whoever answered. */
export function millisecondsLeft({ headers }: Pick<ReceivedResponse, 'headers'>, { reset }: QuotaWindow): number {
  // The header Date has whole seconds, rounded down: what is left is at most what this says.
  return Date.parse(reset) - Date.parse(headers.date ?? '');
}
