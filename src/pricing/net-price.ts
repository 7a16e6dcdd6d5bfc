const SCALE = 4;
const ONE = 10 ** SCALE;
const HUNDRED_PERCENT = 100 * ONE;
/** With so many digits a price times a percentage stays a number that a float holds exactly, with room for a quotient. */
const SAFE_DIGITS = 8;

/**
 * A list price less a discount, computed exactly and rounded once, half away from zero, to four decimals.
 * @param listPrice a decimal as text, with at most four decimals
 * @param discountPercentage 0 to 100 as text, with at most four decimals
 * @returns a decimal as text with four decimals
 * @throws if an argument is not such a decimal, or the discount is out of its bounds
 */
export function netPrice(listPrice: string, discountPercentage: string): string {
  const discount = tenThousandths(discountPercentage);
  if ((discount.negative && Number(discount.digits)) || Number(discount.digits) > HUNDRED_PERCENT)
    throw new RangeError(`Not a discount: ${discountPercentage}`);
  const { negative, digits } = tenThousandths(listPrice);
  const part = HUNDRED_PERCENT - Number(discount.digits);
  const rounded = (digits.length > SAFE_DIGITS ? roundedExactly(digits, part) : roundedPart(digits, part)).padStart(
    SCALE + 1,
    '0',
  );
  const price = `${rounded.slice(0, -SCALE)}.${rounded.slice(-SCALE)}`;
  return negative && /[1-9]/.test(rounded) ? `-${price}` : price;
}

function roundedPart(digits: string, part: number): string {
  return String(Math.floor((Number(digits) * part + HUNDRED_PERCENT / 2) / HUNDRED_PERCENT));
}

function roundedExactly(digits: string, part: number): string {
  const whole = BigInt(HUNDRED_PERCENT);
  return String((BigInt(digits) * BigInt(part) + whole / 2n) / whole);
}

function tenThousandths(decimal: string): { negative: boolean; digits: string } {
  const parts = /^(-?)(\d+)(?:\.(\d{1,4})0*)?$/.exec(decimal);
  if (!parts) throw new TypeError(`Not a decimal with at most ${SCALE} decimals: ${decimal}`);
  const [, sign, whole, fraction = ''] = parts;
  return { negative: sign === '-', digits: whole + fraction.padEnd(SCALE, '0') };
}
