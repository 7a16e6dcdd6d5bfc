const [MINUS, POINT, ZERO, NINE] = [45, 46, 48, 57];

/**
 * A decimal's digits in their one spelling: no leading zeros, no trailing ones behind the point unless `fixedScale`
 * says how many digits are shown there, no minus before a zero. Each character is looked at once: answers hold many.
 * @throws if `value` is not a plain decimal, or has more digits than `fixedScale`
 */
export function decimalText(value: string, fixedScale?: number): string {
  const first = value.charCodeAt(0) === MINUS ? 1 : 0;
  const point = pointOf(value, first);
  const whole = point < 0 ? value.length : point;
  let start = first;
  while (start < whole - 1 && value.charCodeAt(start) === ZERO) start++;
  let end = value.length;
  if (point >= 0) while (value.charCodeAt(end - 1) === ZERO) end--;
  const decimals = Math.max(0, end - whole - 1);
  if (fixedScale !== undefined && decimals > fixedScale) throw new TypeError('more digits than the field has');
  const number = decimals ? value.slice(start, end) : value.slice(start, whole);
  const shown = fixedScale === undefined ? number : padded(number, decimals, fixedScale);
  return first && !isZero(number) ? `-${shown}` : shown;
}

/** Where the point is, or -1. @throws if anything else is amiss */
function pointOf(value: string, first: number): number {
  let point = -1;
  for (let index = first; index < value.length; index++) {
    const code = value.charCodeAt(index);
    if (code >= ZERO && code <= NINE) continue;
    if (code !== POINT || point >= 0 || index === first || index === value.length - 1)
      throw new TypeError('not a plain decimal');
    point = index;
  }
  if (first === value.length) throw new TypeError('not a plain decimal');
  return point;
}

function padded(number: string, decimals: number, scale: number): string {
  if (!scale) return number;
  return (decimals ? number : `${number}.`) + '0'.repeat(scale - decimals);
}

const isZero = (number: string) => number === '0';
