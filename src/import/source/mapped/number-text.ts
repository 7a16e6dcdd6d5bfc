import { CellError } from '../../cell.js';
import { quoted } from '../../excerpt.js';
import { commaToPoint } from '../csv/decimal-comma.js';
import type { NumberFormat } from '../map/mapping-rule.js';

/** Reads numbers in a format. @returns the text with a point before the decimals; it may still not be a number */
export function numberReader({ decimal, thousands }: NumberFormat): (text: string) => string {
  const group = thousands && grouping(thousands, decimal);
  return (text) => {
    const plain = group ? group(text) : text;
    if (decimal === 'either') return withWhole(eitherToPoint(plain));
    if (decimal === ',' && plain.includes('.')) throw new CellError(pointFault(plain, thousands));
    return withWhole(decimal === ',' ? commaToPoint(plain) : plain);
  };
}

/**
 * Replaces a decimal comma by a point.
 * @throws {CellError} if a separator may be one between thousands
 */
function eitherToPoint(text: string): string {
  const separators: string[] = text.match(/[.,]/g) ?? [];
  const last = separators.at(-1) ?? '.';
  const other = last === '.' ? ',' : '.';
  if (separators.length > 1) {
    const [decimal, thousands] = separators.includes(other) ? [last, other] : [other, last];
    throw new CellError(
      `${quoted(text)} has separators between thousands; write decimal: '${decimal}', thousands: '${thousands}' in the map`,
    );
  }
  if (/^-?[1-9]\d{0,2}[.,]\d{3}$/.test(text.trim()))
    throw new CellError(
      `${quoted(text)} may have decimals or thousands; write decimal: '${last}' in the map, or decimal: '${other}', thousands: '${last}'`,
    );
  return text.replace(',', '.');
}

function pointFault(text: string, thousands: string | undefined): string {
  const advice = thousands ? '' : "; if it separates thousands, write thousands: '.' in the map";
  return `${quoted(text)} has a point, but numbers have a decimal comma${advice}`;
}

/** Removes separators between thousands. A separator elsewhere is an error, because it may have another meaning. */
function grouping(thousands: string, decimal: NumberFormat['decimal']): (text: string) => string {
  const separator = thousands === ' ' ? '[ \\u00A0\\u202F]' : `\\${thousands}`;
  const any = new RegExp(separator, 'g');
  const point = decimal === 'either' ? '[.,]' : `\\${decimal}`;
  const right = new RegExp(`^-?\\d{1,3}(${separator}\\d{3})+(${point}\\d*)?$`);
  return (text) => {
    const number = text.trim();
    if (number.search(any) < 0) return number;
    if (right.test(number)) return number.replace(any, '');
    throw new CellError(
      `${quoted(text)} is not a number with "${thousands}" between thousands, such as 1${thousands}234`,
    );
  };
}

/** Adds the zero to numbers such as `.5`. */
function withWhole(number: string): string {
  return number.replace(/^(\s*-?)\.(?=\d)/, (_, sign: string) => `${sign}0.`);
}
