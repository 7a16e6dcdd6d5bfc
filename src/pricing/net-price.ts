const SCALE = 4;
const ONE = 10n ** BigInt(SCALE);
const HUNDRED_PERCENT = 100n * ONE;

/**
 * A list price less a discount, computed exactly and rounded once, half away from zero, to four decimals.
 * @param listPrice a decimal as text, with at most four decimals
 * @param discountPercentage 0 to 100 as text, with at most four decimals
 * @returns a decimal as text with four decimals
 * @throws if an argument is not such a decimal, or the discount is out of its bounds
 */
export function netPrice(listPrice: string, discountPercentage: string): string {
  const discount = tenThousandths(discountPercentage);
  if (discount < 0n || discount > HUNDRED_PERCENT) throw new RangeError(`Not a discount: ${discountPercentage}`);
  const product = tenThousandths(listPrice) * (HUNDRED_PERCENT - discount);
  const size = product < 0n ? -product : product;
  const rounded = (2n * size + HUNDRED_PERCENT) / (2n * HUNDRED_PERCENT);
  return `${product < 0n && rounded > 0n ? '-' : ''}${rounded / ONE}.${String(rounded % ONE).padStart(SCALE, '0')}`;
}

function tenThousandths(decimal: string): bigint {
  const parts = /^(-?)(\d+)(?:\.(\d{1,4})0*)?$/.exec(decimal);
  if (!parts) throw new TypeError(`Not a decimal with at most ${SCALE} decimals: ${decimal}`);
  const [, sign, whole, fraction = ''] = parts;
  return BigInt(`${sign}${whole}${fraction.padEnd(SCALE, '0')}`);
}
