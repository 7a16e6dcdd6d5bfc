import { isDay } from './calendar-day.js';

/**
 * A stored timestamp as a point in time, or null if it is none. All are stored in UTC; SQLite returns them as text that
 * does not name the time zone.
 */
export function timeOrNull(timestamp: unknown): Date | null {
  const time = timestamp instanceof Date ? timestamp : parsed(String(timestamp));
  return Number.isNaN(time.getTime()) ? null : time;
}

function parsed(timestamp: string): Date {
  // JavaScript takes 31 February for 3 March.
  if (!isDay(timestamp.slice(0, 10))) return new Date(NaN);
  const text = timestamp.replace(' ', 'T');
  return new Date(/(Z|[+-]\d\d:\d\d)$/.test(text) ? text : `${text}Z`);
}

/** A point in time as every database takes it for a timestamp: UTC, with milliseconds. */
export function timestampText(time: Date): string {
  return time.toISOString().replace('T', ' ').replace('Z', '');
}
