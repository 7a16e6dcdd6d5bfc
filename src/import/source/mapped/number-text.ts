import { CellError } from '../../cell.js';
import { quoted } from '../../excerpt.js';
import { pointDecimal } from '../csv/decimal-comma.js';
import type { NumberFormat } from '../map/mapping-rule.js';

/** Reads numbers that are written so. @returns them with a point before their decimals; they are checked no further */
export function numberReader({ decimal, thousands }: NumberFormat): (text: string) => string {
  const group = thousands && grouping(thousands, decimal);
  return (text) => {
    const plain = group ? group(text) : text;
    if (decimal === ',' && plain.includes('.')) throw new CellError(pointFault(plain, thousands));
    return withWhole(decimal === ',' ? pointDecimal(plain) : plain);
  };
}

function pointFault(text: string, thousands: string | undefined): string {
  const advice = thousands ? '' : "; if it stands between thousands, write thousands: '.' in the map";
  return `${quoted(text)} has a point, and numbers have a decimal comma${advice}`;
}

/** Takes out separators that stand where thousands end; elsewhere one is a mistake, or of another meaning. */
function grouping(thousands: string, decimal: string): (text: string) => string {
  const separator = thousands === ' ' ? '[ \\u00A0\\u202F]' : `\\${thousands}`;
  const any = new RegExp(separator, 'g');
  const right = new RegExp(`^-?\\d{1,3}(${separator}\\d{3})+(\\${decimal}\\d*)?$`);
  return (text) => {
    const number = text.trim();
    if (number.search(any) < 0) return number;
    if (right.test(number)) return number.replace(any, '');
    throw new CellError(`${quoted(text)} is no number with "${thousands}" between thousands, such as 1${thousands}234`);
  };
}

/** `.5` is 0.5. */
function withWhole(number: string): string {
  return number.replace(/^(\s*-?)\.(?=\d)/, (_, sign: string) => `${sign}0.`);
}
