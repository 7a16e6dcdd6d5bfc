/**
 * A decimal's digits in their one spelling: no leading zeros, no trailing ones behind the point unless `fixedScale`
 * says how many digits are shown there, no minus before a zero.
 * @throws if `value` is not a plain decimal, or has more digits than `fixedScale`
 */
export function decimalText(value: string, fixedScale?: number): string {
  // Each digit is looked at once, however many zeros there are.
  const parts = /^(-?)(\d+)(?:\.(\d+))?$/.exec(value);
  if (!parts) throw new TypeError('not a plain decimal');
  const [, sign, digitsBefore = '', digitsBehind = ''] = parts;
  const whole = digitsBefore.replace(/^0+(?=\d)/, '');
  const fraction = withoutZerosAtEnd(digitsBehind);
  const digits = fixedScale === undefined ? fraction : fraction.padEnd(fixedScale, '0');
  if (fixedScale !== undefined && digits.length > fixedScale) throw new TypeError('more digits than the field has');
  const number = digits ? `${whole}.${digits}` : whole;
  return /[1-9]/.test(number) ? sign + number : number;
}

function withoutZerosAtEnd(digits: string): string {
  let end = digits.length;
  while (digits[end - 1] === '0') end--;
  return digits.slice(0, end);
}
