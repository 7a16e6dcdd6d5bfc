import { dayOrNull, isDay } from '../database/calendar-day.js';
import { decimalText } from '../resource/decimal-text.js';
import { type FieldDeclaration, type FieldType, isRequired } from '../resource/field.decorator.js';
import { timeOrNull, timestampText } from '../database/utc-time.js';
import { quoted } from './excerpt.js';

/** A value as it is stored: exact decimals, days, and points in time in UTC as text. */
export type CellValue = string | number | boolean | null;

/** What is wrong with a cell, in words for the operator. */
export class CellError extends Error {
  constructor(message: string) {
    super(message);
    // It waits in its batch, and the frames of its stack would keep all that was read around it.
    this.stack = message;
  }
}

/** MySQL's TEXT holds so many bytes. */
const TEXT_BYTES = 65_535;
/** No number needs more, zeros around it included. */
const NUMBER_CHARACTERS = 100;

/** All but tab and line breaks. Those above U+007F are mostly text that was decoded as another encoding than it is in. */
const CONTROL = /(?![\t\n\r])\p{Cc}/u;
/** In a code a line break is damage, too. */
const CONTROL_OR_BREAK = /\p{Cc}/u;
/** As spreadsheets write it: with decimals, or with a sign. `1E3` alone may well be a code. */
const E_NOTATION = /^-?\d+([.,]\d+E[+-]?|E[+-])\d+$/i;

/**
 * The value that a cell of an import file stands for; an empty one is null.
 * @throws {CellError} if the column cannot hold it
 */
export function parseCell(text: string, field: FieldDeclaration): CellValue {
  const prose = isText(field) && !field.identifier && !field.primary;
  const cell = prose ? text : text.trim();
  if (cell === '') {
    if (isRequired(field)) throw new CellError('is empty, and has to hold a value');
    return null;
  }
  if (isNumber(field) && cell.length > NUMBER_CHARACTERS)
    throw new CellError(`has ${cell.length} characters, ${NUMBER_CHARACTERS} is the most of a number`);
  if (/\p{Surrogate}/u.test(cell))
    throw new CellError('holds half of a character, one of U+D800 to U+DFFF without its other half');
  refuseControlCharacters(cell, prose);
  if (isText(field) && !prose && E_NOTATION.test(cell))
    throw new CellError(`${quoted(cell)} is a number that a spreadsheet rounded; export the column as text`);
  if (field.pattern && !field.pattern.test(cell)) throw new CellError(`${quoted(cell)} is not ${field.pattern.says}`);
  return PARSERS[field.type](cell, field);
}

/** Whether the column holds text: prose or a code. */
export function isText({ type }: FieldDeclaration): boolean {
  return type === 'varchar' || type === 'text';
}

/** Whether the column holds a number. */
export function isNumber({ type }: FieldDeclaration): boolean {
  return type === 'decimal' || type === 'int';
}

const PARSERS: Record<FieldType, (cell: string, field: FieldDeclaration) => CellValue> = {
  varchar: (cell, { length = 0 }) => {
    const size = [...cell].length;
    if (size > length) throw new CellError(`has ${size} characters, ${length} is the most`);
    return cell;
  },
  text: (cell) => {
    const size = Buffer.byteLength(cell);
    if (size > TEXT_BYTES) throw new CellError(`has ${size} bytes, ${TEXT_BYTES} is the most`);
    return cell;
  },
  int: (cell, field) => {
    if (!/^-?\d{1,9}$/.test(cell)) throw new CellError(`${quoted(cell)} is not a whole number of at most 9 digits`);
    return Number(inBounds(cell, field));
  },
  decimal: (cell, field) => inBounds(parseDecimal(cell, field), field),
  boolean: (cell) => {
    const value = BOOLEANS.get(cell.toLowerCase());
    if (value === undefined) throw new CellError(`${quoted(cell)} is neither true, 1, yes nor false, 0, no`);
    return value;
  },
  date: (cell) => {
    if (!isDay(cell)) throw new CellError(`${quoted(cell)} is not a day of the calendar in the form YYYY-MM-DD`);
    return cell;
  },
  datetime: (cell) => timestampText(parseTime(cell)),
};

/** The value of a cell as the database returns it, spelt as `parseCell` spells it. */
export function storedValue(value: unknown, { type }: FieldDeclaration): CellValue {
  if (value === null) return null;
  if (type === 'boolean') return Boolean(value);
  if (type === 'decimal') return decimalText(String(value));
  if (type !== 'datetime') return value as CellValue;
  const time = timeOrNull(value);
  return time ? timestampText(time) : String(value);
}

/** The text of a cell of an import file that stands for the value that the database returns. */
export function cellText(value: unknown, { type }: FieldDeclaration): string {
  if (value === null) return '';
  if (type === 'boolean') return value ? 'true' : 'false';
  if (type === 'date') return dayOrNull(value) ?? '';
  if (type === 'datetime') return timeOrNull(value)?.toISOString() ?? '';
  return type === 'decimal' ? decimalText(String(value)) : String(value);
}

const TIME = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d(:\d\d([.,]\d+)?)?(Z|[+-]\d\d:\d\d)?$/;
/** What MySQL can store, in UTC. */
const FIRST_YEAR = 1000;
const LAST_YEAR = 9999;

function parseTime(cell: string): Date {
  const [, day = '', , fraction = '', zone] = TIME.exec(cell) ?? [];
  if (day && !zone) throw new CellError(`${quoted(cell)} has no time zone: add Z for UTC, or an offset such as +01:00`);
  if (fraction.length > '.123'.length) throw new CellError(`${quoted(cell)} has more than 3 digits behind the second`);
  const time = new Date(isDay(day) ? cell.replace(',', '.') : NaN);
  const year = time.getUTCFullYear();
  if (!(year >= FIRST_YEAR && year <= LAST_YEAR))
    throw new CellError(`${quoted(cell)} is not a time in the form 2027-01-15T09:30:00Z or 2027-01-15T10:30:00+01:00`);
  return time;
}

const BOOLEANS = new Map([
  ...['true', '1', 'yes'].map((word) => [word, true] as const),
  ...['false', '0', 'no'].map((word) => [word, false] as const),
]);

function refuseControlCharacters(cell: string, prose: boolean): void {
  const found = (prose ? CONTROL : CONTROL_OR_BREAK).exec(cell);
  if (!found) return;
  const code = found[0].charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
  throw new CellError(`holds the control character U+${code} at position ${found.index + 1}; take it out`);
}

function parseDecimal(cell: string, { precision = 0, scale = 0 }: FieldDeclaration): string {
  const number = plainDecimal(cell);
  const [whole = '', fraction = ''] = number.replace('-', '').split('.');
  if (fraction.length > scale) throw new CellError(`${quoted(cell)} has more than ${scale} decimals`);
  if (whole.length > precision - scale)
    throw new CellError(`${quoted(cell)} has more than ${precision - scale} digits before the point`);
  return number;
}

function plainDecimal(cell: string): string {
  try {
    return decimalText(cell);
  } catch {
    throw new CellError(
      `${quoted(cell)} is not a decimal: digits, a point where needed, no other separator, no exponent${commaHint(cell)}`,
    );
  }
}

/** What to do about a number that ends in a comma and digits. */
export function commaHint(cell: string): string {
  return /,\d+$/.test(cell) ? '; for a decimal comma say --decimal-comma' : '';
}

/** The bounds are small whole numbers, so that a float decides rightly. */
function inBounds(number: string, { min = -Infinity, max = Infinity }: FieldDeclaration): string {
  if (Number(number) < min) throw new CellError(`${quoted(number)} is less than ${min}`);
  if (Number(number) > max) throw new CellError(`${quoted(number)} is more than ${max}`);
  return number;
}
