import { dayOrNull, isDay } from '../database/calendar-day.js';
import { decimalText } from '../resource/decimal-text.js';
import { type FieldDeclaration, type FieldType, isRequired } from '../resource/field.decorator.js';
import { timeOrNull, timestampText } from '../database/utc-time.js';
import { quoted } from './excerpt.js';

/** A value as it is stored. Decimals are exact text; dates, and times in UTC, are text as well. */
export type CellValue = string | number | boolean | null;

/** The values of one row, in the order of the columns in question. */
export type RowValues = readonly CellValue[];

/** A fault of a cell. The message is written for the operator and follows the name of the column. */
export class CellError extends Error {
  constructor(message: string) {
    super(message);
    // Errors wait in their batch. Stack frames would keep the surrounding text of the file in memory.
    this.stack = message;
  }
}

/** Capacity of MySQL's TEXT, in bytes. */
const TEXT_BYTES = 65_535;
/** No number needs more characters, padding zeros included. */
const NUMBER_CHARACTERS = 100;

/** Most cells contain only these characters, so no other check of characters is necessary. */
const PRINTABLE_ASCII = /^[ -~]*$/;
/** Control characters except tab and line breaks. Those above U+007F mostly result from a wrong encoding. */
const CONTROL = /[^\P{Cc}\t\n\r]/u;
/** In a code, tabs and line breaks are damage as well. */
const CONTROL_OR_BREAK = /\p{Cc}/u;
/** The form that spreadsheets write: with decimals, or with a sign. `1E3` alone may be a code. */
const E_NOTATION = /^-?\d+([.,]\d+E[+-]?|E[+-])\d+$/i;

/**
 * Parses a cell of an import file. An empty cell is null.
 * @throws {CellError} if the column cannot store the value
 */
export function parseCell(text: string, field: FieldDeclaration): CellValue {
  const prose = isText(field) && !field.identifier && !field.primary;
  const cell = prose ? text : text.trim();
  if (cell === '') {
    if (isRequired(field)) throw new CellError('is empty, but a value is required');
    return null;
  }
  if (isNumber(field) && cell.length > NUMBER_CHARACTERS)
    throw new CellError(`has ${cell.length} characters, ${NUMBER_CHARACTERS} is the maximum for a number`);
  if (!PRINTABLE_ASCII.test(cell)) refuseDamage(cell, prose);
  if (isText(field) && !prose && E_NOTATION.test(cell))
    throw new CellError(`${quoted(cell)} is a number that a spreadsheet rounded; export the column as text`);
  if (field.pattern && !field.pattern.test(cell))
    throw new CellError(`${quoted(cell)} is not ${field.pattern.expected}`);
  return PARSERS[field.type](cell, field);
}

/** Whether the column stores text: prose or a code. */
export function isText({ type }: FieldDeclaration): boolean {
  return type === 'varchar' || type === 'text';
}

/** Whether the column stores a number. */
export function isNumber({ type }: FieldDeclaration): boolean {
  return type === 'decimal' || type === 'int';
}

const PARSERS: Record<FieldType, (cell: string, field: FieldDeclaration) => CellValue> = {
  varchar: (cell, { length = 0 }) => {
    const size = cell.length > length ? [...cell].length : 0;
    if (size > length) throw new CellError(`has ${size} characters, ${length} is the maximum`);
    return cell;
  },
  text: (cell) => {
    const size = Buffer.byteLength(cell);
    if (size > TEXT_BYTES) throw new CellError(`has ${size} bytes, ${TEXT_BYTES} is the maximum`);
    return cell;
  },
  int: (cell, field) => {
    if (!/^-?\d{1,9}$/.test(cell)) throw new CellError(`${quoted(cell)} is not a whole number of at most 9 digits`);
    return Number(inBounds(cell, field));
  },
  decimal: (cell, field) => inBounds(parseDecimal(cell, field), field),
  boolean: (cell) => {
    const value = BOOLEANS.get(cell.toLowerCase());
    if (value === undefined)
      throw new CellError(`${quoted(cell)} is not a boolean: write true, 1, yes, false, 0 or no`);
    return value;
  },
  date: (cell) => {
    if (!isDay(cell)) throw new CellError(`${quoted(cell)} is not a valid date in the form YYYY-MM-DD`);
    return cell;
  },
  datetime: (cell) => timestampText(parseTime(cell)),
};

/** Converts a value that the database returns into the form that `parseCell` returns. */
export function storedValue(value: unknown, { type }: FieldDeclaration): CellValue {
  if (value === null) return null;
  if (type === 'boolean') return Boolean(value);
  if (type === 'decimal') return decimalText(String(value));
  if (type !== 'datetime') return value as CellValue;
  const time = timeOrNull(value);
  return time ? timestampText(time) : String(value);
}

/** Writes a value that the database returns as the text of an import cell. */
export function cellText(value: unknown, { type }: FieldDeclaration): string {
  if (value === null) return '';
  if (type === 'boolean') return value ? 'true' : 'false';
  if (type === 'date') return dayOrNull(value) ?? '';
  if (type === 'datetime') return timeOrNull(value)?.toISOString() ?? '';
  return type === 'decimal' ? decimalText(String(value)) : String(value);
}

const TIME = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d(:\d\d([.,]\d+)?)?(Z|[+-]\d\d:\d\d)?$/;
/** The years that MySQL can store, in UTC. */
const FIRST_YEAR = 1000;
const LAST_YEAR = 9999;

function parseTime(cell: string): Date {
  const [, day = '', , fraction = '', zone] = TIME.exec(cell) ?? [];
  if (day && !zone) throw new CellError(`${quoted(cell)} has no time zone: add Z for UTC, or an offset such as +01:00`);
  if (fraction.length > '.123'.length) throw new CellError(`${quoted(cell)} has more than 3 decimals in its seconds`);
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

function refuseDamage(cell: string, prose: boolean): void {
  if (/\p{Surrogate}/u.test(cell))
    throw new CellError('contains half of a surrogate pair (U+D800 to U+DFFF); write the whole character');
  const found = (prose ? CONTROL : CONTROL_OR_BREAK).exec(cell);
  if (!found) return;
  const code = found[0].charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
  throw new CellError(`contains the control character U+${code} at position ${found.index + 1}; remove it`);
}

function parseDecimal(cell: string, { precision = 0, scale = 0 }: FieldDeclaration): string {
  const number = plainDecimal(cell);
  const point = number.includes('.') ? number.indexOf('.') : number.length;
  const digits = number.startsWith('-') ? point - 1 : point;
  if (number.length - point - 1 > scale) throw new CellError(`${quoted(cell)} has more than ${scale} decimals`);
  if (digits > precision - scale)
    throw new CellError(`${quoted(cell)} has more than ${precision - scale} digits before the point`);
  return number;
}

function plainDecimal(cell: string): string {
  try {
    return decimalText(cell);
  } catch {
    throw new CellError(
      `${quoted(cell)} is not a decimal: write digits, a point before any decimals, no other separator and no exponent${commaHint(cell)}`,
    );
  }
}

/** Advice for a number with commas; otherwise ''. */
export function commaHint(cell: string): string {
  const thousands = "in a column map, write thousands: ','";
  if (/^-?\d{1,3}(,\d{3}){2,}$|^-?\d{1,3}(,\d{3})+\.\d*$/.test(cell))
    return `; if the commas separate thousands, remove them, or ${thousands}`;
  if (/^-?[1-9]\d{0,2},\d{3}$/.test(cell))
    return `; if the comma separates thousands, remove it, or ${thousands}; only if decimals follow it, pass --decimal-comma`;
  return /,\d+$/.test(cell) ? '; for decimal commas, pass --decimal-comma' : '';
}

/** A float comparison is exact here, because the bounds have few digits. */
function inBounds(number: string, { min, max }: FieldDeclaration): string {
  if (min !== undefined && Number(number) < min) throw new CellError(`${quoted(number)} is less than ${min}`);
  if (max !== undefined && Number(number) > max) throw new CellError(`${quoted(number)} is more than ${max}`);
  return number;
}
