import { CellError, commaHint } from '../../cell.js';
import { quoted } from '../../excerpt.js';

/**
 * Multiplies two numbers exactly. If the product has too many decimals, it is rounded once, half away from zero.
 * @param number a plain decimal; spaces around it are ignored
 * @param factor a plain decimal
 * @param scale the maximum number of decimals of the product
 * @throws {CellError} if `number` is not a decimal
 */
export function scaledDecimal(number: string, factor: string, scale: number): string {
  const text = number.trim();
  // Fast path: maps use `times: 1` to round, but most numbers need no rounding.
  const [, fraction] = /^-?\d{1,30}(?:\.(\d{1,30}))?$/.exec(text) ?? [];
  if (factor === '1' && fraction !== undefined && fraction.length <= scale) return text;
  const one = exact(number);
  const other = exact(factor);
  const product = one.digits * other.digits;
  const decimals = one.decimals + other.decimals;
  return decimals <= scale ? written(product, decimals) : written(rounded(product, decimals - scale), scale);
}

interface Exact {
  digits: bigint;
  decimals: number;
}

function exact(text: string): Exact {
  const [, sign, whole, fraction = ''] = /^(-?)(\d{1,30})(?:\.(\d{1,30}))?$/.exec(text.trim()) ?? [];
  if (whole === undefined)
    throw new CellError(
      `${quoted(text)} is not a number: write digits, a point before any decimals and no other separator${commaHint(text)}`,
    );
  return { digits: BigInt(`${sign}${whole}${fraction}`), decimals: fraction.length };
}

function rounded(digits: bigint, surplus: number): bigint {
  const unit = 10n ** BigInt(surplus);
  const size = digits < 0n ? -digits : digits;
  const result = (2n * size + unit) / (2n * unit);
  return digits < 0n ? -result : result;
}

function written(digits: bigint, decimals: number): string {
  const size = String(digits < 0n ? -digits : digits).padStart(decimals + 1, '0');
  const whole = size.slice(0, size.length - decimals);
  return `${digits < 0n ? '-' : ''}${whole}${decimals ? `.${size.slice(-decimals)}` : ''}`;
}
