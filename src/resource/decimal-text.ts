/**
 * A decimal's digits in their one spelling: no leading zeros, no trailing ones behind the point unless `fixedScale`
 * says how many digits are shown there, no minus before a zero.
 * @throws if `value` is not a plain decimal, or has more digits than `fixedScale`
 */
export function decimalText(value: string, fixedScale?: number): string {
  const parts = /^(-?)0*(\d+)(?:\.(\d*?)0*)?$/.exec(value);
  if (!parts || value.endsWith('.')) throw new TypeError('not a plain decimal');
  const [, sign, whole = '', fraction = ''] = parts;
  const digits = fixedScale === undefined ? fraction : fraction.padEnd(fixedScale, '0');
  if (fixedScale !== undefined && digits.length > fixedScale) throw new TypeError('more digits than the field has');
  const number = digits ? `${whole}.${digits}` : whole;
  return /[1-9]/.test(number) ? sign + number : number;
}
