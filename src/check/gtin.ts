/** Lengths of GTIN-8, GTIN-12 (UPC), GTIN-13 (EAN) and GTIN-14. */
const LENGTHS = new Set([8, 12, 13, 14]);

/** The fault of a barcode; undefined if it has none. A barcode with non-digits is not a GTIN and has no fault. */
export function gtinFault(barcode: string): string | undefined {
  if (!/^\d+$/.test(barcode)) return undefined;
  if (!LENGTHS.has(barcode.length)) return `has ${barcode.length} digits, but a GTIN has 8, 12, 13 or 14`;
  const expected = checkDigit(barcode.slice(0, -1));
  return barcode.endsWith(String(expected))
    ? undefined
    : `ends in ${barcode.at(-1)}, but its check digit is ${expected}`;
}

/** Computes the check digit. Every other digit, starting with the rightmost one, has the weight 3. */
function checkDigit(digits: string): number {
  const weighted = [...digits].toReversed().map((digit, index) => Number(digit) * (index % 2 ? 1 : 3));
  const sum = weighted.reduce((total, value) => total + value, 0);
  return (10 - (sum % 10)) % 10;
}
