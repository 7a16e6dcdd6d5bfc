import { isDay } from './calendar-day.js';

export const DAY_MS = 86_400_000;

/**
 * Returns a stored timestamp as a point in time, or null if it is invalid. Timestamps are stored in UTC. TypeORM returns a
 * `Date`. Lookups and SQLite return text without a time zone.
 */
export function timeOrNull(timestamp: unknown): Date | null {
  const time = timestamp instanceof Date ? timestamp : parsed(String(timestamp));
  return Number.isNaN(time.getTime()) ? null : time;
}

function parsed(timestamp: string): Date {
  // JavaScript would parse 31 February as 3 March.
  if (!isDay(timestamp.slice(0, 10))) return new Date(NaN);
  const text = timestamp.replace(' ', 'T');
  return new Date(/(Z|[+-]\d\d:\d\d)$/.test(text) ? text : `${text}Z`);
}

/** Formats a point in time as a timestamp that every engine accepts: UTC, with milliseconds. */
export function timestampText(time: Date): string {
  return time.toISOString().replace('T', ' ').replace('Z', '');
}
