import { CellError } from '../../cell.js';
import { quoted } from '../../excerpt.js';
import { isDay } from '../../../database/calendar-day.js';

/** The pattern of each token of a format. The time of day is read and dropped. */
const TOKENS: Readonly<Record<string, string>> = {
  YYYY: '(?<year>\\d{4})',
  MM: '(?<month>\\d{1,2})',
  DD: '(?<day>\\d{1,2})',
  HH: '\\d{1,2}',
  mm: '\\d{1,2}',
  ss: '\\d{1,2}',
};
const TOKEN = /YYYY|MM|DD|HH|mm|ss/g;

/** Whether the format has year, month and day, once each. */
export function isDateFormat(format: string): boolean {
  const tokens = format.match(TOKEN) ?? [];
  return ['YYYY', 'MM', 'DD'].every((token) => tokens.filter((other) => other === token).length === 1);
}

/** Reads days in one of these formats. @returns `YYYY-MM-DD`, which may not be a day of the calendar */
export function dateReader(formats: readonly string[]): (text: string) => string {
  const patterns = formats.map(patternOf);
  return (text) => {
    const read = patterns.flatMap((pattern) => dayOf(pattern.exec(text.trim())) ?? []);
    const days = new Set(read.filter(isDay));
    if (days.size > 1)
      throw new CellError(`${quoted(text)} may be ${[...days].join(' or ')}; write one date format in the map`);
    if (read.length) return [...days, ...read][0]!;
    throw new CellError(`${quoted(text)} is not a date in the form ${formats.join(' or ')}`);
  };
}

function dayOf(match: RegExpExecArray | null): string | undefined {
  const { year, month, day } = match?.groups ?? {};
  return year && `${year}-${month!.padStart(2, '0')}-${day!.padStart(2, '0')}`;
}

function patternOf(format: string): RegExp {
  const source = format.replace(/[^A-Za-z]/g, '\\$&').replace(TOKEN, (token) => TOKENS[token]!);
  return new RegExp(`^${source}$`);
}
