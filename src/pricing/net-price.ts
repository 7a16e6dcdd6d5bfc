import { InvariantViolation } from '../invariants/invariants.js';
import { decimalText } from '../resource/decimal-text.js';

const SCALE = 4;
const HUNDRED_PERCENT = 100 * 10 ** SCALE;
/** Up to this many digits of a price, its product with a percentage and the quotient are exact in a float. */
const SAFE_DIGITS = 8;

/**
 * The parsed discount of the previous call. The next call usually has the same discount. `part` is the percentage that
 * the customer pays, in ten-thousandths of a percent.
 */
let last = { discountPercentage: '0', part: HUNDRED_PERCENT };

/**
 * Returns a list price minus a discount. The computation is exact. The result is rounded once, half away from zero, to
 * four decimals.
 * @param listPrice a decimal as text, with at most four decimals
 * @param discountPercentage 0 to 100 as text, with at most four decimals
 * @returns a decimal as text with four decimals
 * @throws {TypeError} if an argument is not such a decimal
 * @throws {RangeError} if the discount is not from 0 to 100
 * @throws {InvariantViolation} if the result is farther from zero than the list price
 */
export function netPrice(listPrice: string, discountPercentage: string): string {
  // Entries without a discount are mixed with discounted ones, so they must not replace `last`.
  if (discountPercentage === '0') return decimalText(listPrice, SCALE);
  if (last.discountPercentage !== discountPercentage)
    last = { discountPercentage, part: partToPay(discountPercentage) };
  const price = decimalText(listPrice, SCALE);
  if (last.part === HUNDRED_PERCENT) return price;
  const negative = price.startsWith('-');
  const digits = price.slice(negative ? 1 : 0, -SCALE - 1) + price.slice(-SCALE);
  const rounded = digits.length > SAFE_DIGITS ? roundedExactly(digits, last.part) : roundedPart(digits, last.part);
  if (isMore(rounded, digits))
    throw new InvariantViolation(
      'net_price',
      `The net price exceeds the list price ${listPrice}: ${rounded} / 10^${SCALE}`,
    );
  const net = rounded.padStart(SCALE + 1, '0');
  const sign = negative && rounded !== '0' ? '-' : '';
  return `${sign}${net.slice(0, -SCALE)}.${net.slice(-SCALE)}`;
}

/** Compares digits as text, to be independent of the arithmetic that it checks. @param digits may have leading zeros */
function isMore(rounded: string, digits: string): boolean {
  const padded = rounded.padStart(digits.length, '0');
  return padded.length > digits.length || padded > digits;
}

function roundedPart(digits: string, part: number): string {
  return String(Math.floor((Number(digits) * part + HUNDRED_PERCENT / 2) / HUNDRED_PERCENT));
}

function roundedExactly(digits: string, part: number): string {
  const whole = BigInt(HUNDRED_PERCENT);
  return String((BigInt(digits) * BigInt(part) + whole / 2n) / whole);
}

function partToPay(discountPercentage: string): number {
  const discount = Number(decimalText(discountPercentage, SCALE).replace('.', ''));
  if (discount < 0 || discount > HUNDRED_PERCENT)
    throw new RangeError(`The discount ${discountPercentage} is not from 0 to 100`);
  return HUNDRED_PERCENT - discount;
}
