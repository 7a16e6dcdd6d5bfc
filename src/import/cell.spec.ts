import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { FieldDeclaration } from '../resource/field.decorator.js';
import { CellError, cellText, parseCell, storedValue } from './cell.js';

const field = (declaration: Partial<FieldDeclaration>): FieldDeclaration => ({
  name: 'Cell',
  type: 'varchar',
  length: 10,
  stored: true,
  returned: false,
  ...declaration,
});

const PROSE = field({});
const CODE = field({ identifier: true });
const KEY = field({ primary: true });
const LONG = field({ type: 'text' });
const WHOLE = field({ type: 'int' });
const LIMIT = field({ type: 'int', min: 1 });
const PRICE = field({ type: 'decimal', precision: 18, scale: 4, nullable: false, min: 0 });
const SIZE = field({ type: 'decimal', precision: 14, scale: 4 });
const PERCENT = field({ type: 'decimal', precision: 7, scale: 4, min: 0, max: 100 });
const FLAG = field({ type: 'boolean' });
const DAY = field({ type: 'date' });
const TIME = field({ type: 'datetime' });
const CURRENCY = field({
  identifier: true,
  length: 3,
  pattern: { test: (code) => /^[A-Z]{3}$/.test(code), expected: 'a currency code' },
});

test.each([
  // Prose keeps every character. Codes and keys are trimmed at both ends and keep the rest.
  ['prose', PROSE, '  a  b\t\n', '  a  b\t\n'],
  ['prose that consists of spaces', PROSE, '  ', '  '],
  ['long prose', LONG, ' a\r\nb ', ' a\r\nb '],
  ['code', CODE, '\t 00 12 ', '00 12'],
  ['key', KEY, ' ÁBC-1 ', 'ÁBC-1'],
  ['code between no-break spaces', CODE, '\u00A0A1\u00A0', 'A1'],
  ['ten characters', PROSE, '0123456789', '0123456789'],
  ['ten characters of four bytes', PROSE, '😀'.repeat(10), '😀'.repeat(10)],
  ['text of the maximum size', LONG, 'é'.repeat(32_767), 'é'.repeat(32_767)],
  ['whole number', WHOLE, ' 24 ', 24],
  ['whole number below zero', WHOLE, '-24', -24],
  ['whole number with leading zeros', WHOLE, '007', 7],
  ['the largest whole number', WHOLE, '999999999', 999_999_999],
  ['the smallest limit', LIMIT, '1', 1],
  ['decimal', SIZE, ' 12.50 ', '12.5'],
  ['decimal below zero', SIZE, '-0.0001', '-0.0001'],
  ['decimal with leading and trailing zeros', SIZE, '0012.50000000', '12.5'],
  ['decimal of 100 characters', SIZE, `${'0'.repeat(98)}.5`, '0.5'],
  ['decimal of 14 digits', SIZE, '9999999999.9999', '9999999999.9999'],
  ['decimal that exceeds the precision of a float', PRICE, '99999999999999.9999', '99999999999999.9999'],
  ['price of zero', PRICE, '0', '0'],
  ['discount of 0 %', PERCENT, '0.0000', '0'],
  ['discount of 100 %', PERCENT, '100', '100'],
  ['date', DAY, ' 2027-01-15 ', '2027-01-15'],
  ['leap day', DAY, '2028-02-29', '2028-02-29'],
  ['pattern', CURRENCY, ' EUR ', 'EUR'],
])('parses a cell: %s', (_, column, text, value) => {
  expect(parseCell(text, column)).toBe(value);
});

test.each(['true', 'TRUE', 'True', '1', 'yes', 'Yes', ' yes '])('parses %j as true', (text) => {
  expect(parseCell(text, FLAG)).toBe(true);
});

test.each(['false', 'FALSE', 'False', '0', 'no', 'NO', ' no '])('parses %j as false', (text) => {
  expect(parseCell(text, FLAG)).toBe(false);
});

test.each([PROSE, CODE, LONG, WHOLE, SIZE, PERCENT, FLAG, DAY, TIME, CURRENCY])(
  'parses an empty cell of an optional $type as null',
  (column) => {
    expect(parseCell('', column)).toBeNull();
  },
);

test.each([
  ['', KEY],
  ['  ', KEY],
  ['', PRICE],
  ['  ', PRICE],
  ['', field({ type: 'boolean', nullable: false })],
])('rejects %j where a value is required, instead of storing 0 or false (%#)', (text, column) => {
  expect(() => parseCell(text, column)).toThrow(new CellError('is empty, but a value is required'));
});

test.each([
  ['eleven characters', PROSE, '01234567890', 'has 11 characters, 10 is the maximum'],
  ['eleven characters of four bytes', PROSE, '😀'.repeat(11), 'has 11 characters, 10 is the maximum'],
  ['prose that is too long with its spaces', PROSE, `${' '.repeat(6)}01234`, 'has 11 characters, 10 is the maximum'],
  ['too many bytes for a text', LONG, 'é'.repeat(32_768), 'has 65536 bytes, 65535 is the maximum'],
  ['whole number with a fraction', WHOLE, '2.0', '"2.0" is not a whole number of at most 9 digits'],
  ['whole number of ten digits', WHOLE, '1234567890', '"1234567890" is not a whole number of at most 9 digits'],
  ['words', WHOLE, 'many', '"many" is not a whole number'],
  ['limit of zero', LIMIT, '0', '"0" is less than 1'],
  ['decimal comma', PRICE, '19,95', '"19,95" is not a decimal'],
  ['thousands separator', PRICE, '1,234.5', '"1,234.5" is not a decimal'],
  ['thousands space', PRICE, '1 234.5', '"1 234.5" is not a decimal'],
  ['exponent', PRICE, '1e3', '"1e3" is not a decimal'],
  ['exponent', SIZE, '1E-3', '"1E-3" is not a decimal'],
  ['currency sign', PRICE, '€19', '"€19" is not a decimal'],
  ['plus sign', PRICE, '+19', '"+19" is not a decimal'],
  ['bare point', PRICE, '.', '"." is not a decimal'],
  ['not a number', PRICE, 'NaN', '"NaN" is not a decimal'],
  ['five decimals', PRICE, '19.95001', '"19.95001" has more than 4 decimals'],
  ['101 characters for a decimal', PRICE, '0'.repeat(101), 'has 101 characters, 100 is the maximum for a number'],
  ['101 characters for a whole number', WHOLE, '0'.repeat(101), 'has 101 characters, 100 is the maximum for a number'],
  ['15 digits', PRICE, '123456789012345', '"123456789012345" has more than 14 digits before the point'],
  ['11 digits', SIZE, '12345678901.5', '"12345678901.5" has more than 10 digits before the point'],
  ['below the bound', PRICE, '-0.0001', '"-0.0001" is less than 0'],
  ['above the bound', PERCENT, '100.0001', '"100.0001" is more than 100'],
  ['below the bound', PERCENT, '-1', '"-1" is less than 0'],
  ['a number other than 0 and 1', FLAG, '2', '"2" is not a boolean: write true, 1, yes, false, 0 or no'],
  ['an abbreviated boolean', FLAG, 'y', '"y" is not a boolean: write true, 1, yes, false, 0 or no'],
  ['the name of an object property', FLAG, 'constructor', '"constructor" is not a boolean'],
  ['date of another form', DAY, '15.01.2027', '"15.01.2027" is not a valid date in the form YYYY-MM-DD'],
  ['date without zeros', DAY, '2027-1-5', '"2027-1-5" is not a valid date'],
  ['impossible date', DAY, '2027-02-29', '"2027-02-29" is not a valid date'],
  ['date with the month 13', DAY, '2027-13-01', '"2027-13-01" is not a valid date'],
  ['date in the year 0', DAY, '0000-01-01', '"0000-01-01" is not a valid date'],
  ['date with a time', DAY, '2027-01-15T00:00:00', '"2027-01-15T00:00:00" is not a valid date'],
  [
    'time without a time zone',
    TIME,
    '2027-01-15T09:30:00',
    '"2027-01-15T09:30:00" has no time zone: add Z for UTC, or',
  ],
  [
    'time of another form',
    TIME,
    '2027-01-15 09:30:00Z',
    '"2027-01-15 09:30:00Z" is not a time in the form 2027-01-15T',
  ],
  ['date without a time', TIME, '2027-01-15', '"2027-01-15" is not a time in the form'],
  ['time on an impossible date', TIME, '2027-02-29T09:30:00Z', '"2027-02-29T09:30:00Z" is not a time'],
  ['impossible time', TIME, '2027-01-15T24:01:00Z', '"2027-01-15T24:01:00Z" is not a time'],
  ['leap second', TIME, '2016-12-31T23:59:60Z', '"2016-12-31T23:59:60Z" is not a time'],
  ['impossible offset', TIME, '2027-01-15T09:30:00+25:00', '"2027-01-15T09:30:00+25:00" is not a time'],
  ['offset without a colon', TIME, '2027-01-15T09:30:00+0100', '"2027-01-15T09:30:00+0100" is not a time'],
  ['microseconds', TIME, '2027-01-15T09:30:00.0001Z', '"2027-01-15T09:30:00.0001Z" has more than 3 decimals in its'],
  ['year too early for MySQL', TIME, '0999-12-31T23:00:00Z', '"0999-12-31T23:00:00Z" is not a time'],
  ['year too late for MySQL, in UTC', TIME, '9999-12-31T23:30:00-01:00', '"9999-12-31T23:30:00-01:00" is not a time'],
  ['a lone high surrogate', PROSE, 'x\uD83D', 'contains half of a surrogate pair'],
  ['a lone low surrogate in a code', CODE, '\uDE00x', 'contains half of a surrogate pair'],
  ['text that does not match the pattern', CURRENCY, 'eur', '"eur" is not a currency code'],
  ['a long value, which the message shortens', FLAG, 'x'.repeat(99), `"${'x'.repeat(40)}…" is not a boolean`],
])('rejects a cell: %s (%#)', (_, column, text, message) => {
  expect(() => parseCell(text, column)).toThrow(CellError);
  expect(() => parseCell(text, column)).toThrow(message);
});

test('rejects a NUL character, where the embedded database would truncate the text', () => {
  for (const type of ['varchar', 'text'] as const)
    expect(() => parseCell('x\0y', { name: 'N', type, length: 9, stored: true, returned: true })).toThrow(CellError);
});

/** Creates an error about a product of 1 MiB. */
function errorOfLarge(product: { text: string }): CellError {
  const [error] = ['Name'].map(() => new CellError(`is wrong: ${product.text.length}`));
  return error!;
}

test('errors that wait in batches do not keep the source text in memory', () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  const before = process.memoryUsage().heapUsed;
  const errors = Array.from({ length: 50 }, () => errorOfLarge({ text: Buffer.alloc(2 ** 20, 'x').toString() }));
  collect();
  expect((process.memoryUsage().heapUsed - before) / 1024 ** 2).toBeLessThan(10);
  expect(errors).toHaveLength(50);
});

test.each([
  ['2027-01-15T09:30:00Z', '2027-01-15 09:30:00.000'],
  [' 2027-01-15T09:30Z ', '2027-01-15 09:30:00.000'],
  ['2027-01-15T00:30:00.5+01:00', '2027-01-14 23:30:00.500'],
  ['2027-12-31T23:30:00,123-05:45', '2028-01-01 05:15:00.123'],
  ['2027-01-15T24:00:00Z', '2027-01-16 00:00:00.000'],
])('stores the time %s in UTC', (text, stored) => {
  expect(parseCell(text, TIME)).toBe(stored);
});

test.each([
  ['varchar', PROSE, ' x ', ' x '],
  ['text', LONG, 'a\nb', 'a\nb'],
  ['int', WHOLE, 24, '24'],
  ['decimal', SIZE, '12.5000', '12.5'],
  ['boolean', FLAG, 0, 'false'],
  ['boolean of a server', FLAG, true, 'true'],
  ['date', DAY, '2027-01-15', '2027-01-15'],
  ['datetime of SQLite', TIME, '2027-01-15 09:30:00.120', '2027-01-15T09:30:00.120Z'],
  ['datetime of a server', TIME, new Date('2027-01-15T09:30:00.120Z'), '2027-01-15T09:30:00.120Z'],
])('imports an exported %s as the stored value', (_, column, value, text) => {
  expect(cellText(value, column)).toBe(text);
  expect(parseCell(text, column)).toBe(storedValue(value, column));
});

test('exports impossible dates and times as empty cells (decision 124)', () => {
  expect(cellText('2027-02-31', DAY)).toBe('');
  expect(cellText('2027-02-31 00:00:00', TIME)).toBe('');
  expect(storedValue('2027-02-31 00:00:00', TIME)).toBe('2027-02-31 00:00:00');
});

test.each([
  ['19,95', /; for decimal commas, pass --decimal-comma$/],
  ['1,299', /; if the comma separates thousands, remove it, .*; only if decimals follow it, pass --decimal-comma$/],
  ['1,299.00', /; if the commas separate thousands, remove them, or in a column map, write thousands: ','$/],
  ['1,299,000', /; if the commas separate thousands, remove them, or in a column map, write thousands: ','$/],
  ['0,125', /; for decimal commas, pass --decimal-comma$/],
])('the message about the number %s does not suggest a wrong reading', (text, hint) => {
  expect(() => parseCell(text, SIZE)).toThrow(hint);
});
