import { CellError } from '../../cell.js';
import { quoted } from '../../excerpt.js';
import { commaToPoint } from '../csv/decimal-comma.js';
import type { NumberFormat } from '../map/mapping-rule.js';

/** Reads numbers in a format. @returns the text with a point before the decimals; it may still not be a number */
export function numberReader({ decimal, thousands }: NumberFormat): (text: string) => string {
  const group = thousands && grouping(thousands, decimal);
  return (text) => {
    const plain = group ? group(text) : text;
    if (decimal === ',' && plain.includes('.')) throw new CellError(pointFault(plain, thousands));
    return withWhole(decimal === ',' ? commaToPoint(plain) : plain);
  };
}

function pointFault(text: string, thousands: string | undefined): string {
  const advice = thousands ? '' : "; if it separates thousands, write thousands: '.' in the map";
  return `${quoted(text)} has a point, but numbers have a decimal comma${advice}`;
}

/** Removes separators between thousands. A separator elsewhere is an error, because it may have another meaning. */
function grouping(thousands: string, decimal: string): (text: string) => string {
  const separator = thousands === ' ' ? '[ \\u00A0\\u202F]' : `\\${thousands}`;
  const any = new RegExp(separator, 'g');
  const right = new RegExp(`^-?\\d{1,3}(${separator}\\d{3})+(\\${decimal}\\d*)?$`);
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
