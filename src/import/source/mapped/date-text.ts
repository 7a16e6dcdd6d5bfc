import { CellError } from '../../cell.js';
import { quoted } from '../../excerpt.js';

/** What each token of a format stands for. Times of day are read and dropped. */
const TOKENS: Readonly<Record<string, string>> = {
  YYYY: '(?<year>\\d{4})',
  MM: '(?<month>\\d{1,2})',
  DD: '(?<day>\\d{1,2})',
  HH: '\\d{1,2}',
  mm: '\\d{1,2}',
  ss: '\\d{1,2}',
};
const TOKEN = /YYYY|MM|DD|HH|mm|ss/g;

/** Whether the format says where year, month and day are, once each. */
export function isDateFormat(format: string): boolean {
  const tokens = format.match(TOKEN) ?? [];
  return ['YYYY', 'MM', 'DD'].every((token) => tokens.filter((other) => other === token).length === 1);
}

/** Reads days that are written in one of these formats. @returns them as `YYYY-MM-DD`, not yet looked up in a calendar */
export function dateReader(formats: readonly string[]): (text: string) => string {
  const patterns = formats.map(patternOf);
  return (text) => {
    for (const pattern of patterns) {
      const { year, month, day } = pattern.exec(text.trim())?.groups ?? {};
      if (year) return `${year}-${month!.padStart(2, '0')}-${day!.padStart(2, '0')}`;
    }
    throw new CellError(`${quoted(text)} is not a date in the form ${formats.join(' or ')}`);
  };
}

function patternOf(format: string): RegExp {
  const source = format.replace(/[^A-Za-z]/g, '\\$&').replace(TOKEN, (token) => TOKENS[token]!);
  return new RegExp(`^${source}$`);
}
