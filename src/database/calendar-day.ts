const DAY = /^(\d{4})-(\d\d)-(\d\d)$/;
const DAYS_OF_MONTHS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Whether the text is a valid calendar day in the form YYYY-MM-DD. MySQL and SQLite can store invalid days. */
export function isDay(text: string): boolean {
  const parts = DAY.exec(text);
  if (!parts) return false;
  const [year, month, day] = [Number(parts[1]), Number(parts[2]), Number(parts[3])];
  const days = month === 2 && isLeap(year) ? 29 : DAYS_OF_MONTHS[month - 1];
  return year > 0 && days !== undefined && day > 0 && day <= days;
}

/**
 * Returns the stored day, or null if it is not a valid calendar day (docs/decisions.md#124).
 * @throws if the driver returned a point in time, which may fall on another day
 */
export function dayOrNull(stored: unknown): string | null {
  if (stored instanceof Date) throw new TypeError('The driver returned a point in time for a column of days');
  const text = String(stored);
  return isDay(text) ? text : null;
}

function isLeap(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}
