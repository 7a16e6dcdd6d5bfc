/**
 * A stored timestamp as a point in time. All are stored in UTC; SQLite returns them as text that does not say so.
 * @throws if it is none
 */
export function utcTime(timestamp: unknown): Date {
  if (timestamp instanceof Date) return timestamp;
  const text = String(timestamp).replace(' ', 'T');
  const time = new Date(/(Z|[+-]\d\d:\d\d)$/.test(text) ? text : `${text}Z`);
  if (Number.isNaN(time.getTime())) throw new TypeError('not a timestamp');
  return time;
}

/** A point in time as every database takes it for a timestamp: UTC, with milliseconds. */
export function timestampText(time: Date): string {
  return time.toISOString().replace('T', ' ').replace('Z', '');
}
