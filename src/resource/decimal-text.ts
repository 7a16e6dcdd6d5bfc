const [MINUS, POINT, ZERO, NINE] = [45, 46, 48, 57];

/**
 * Returns a decimal in canonical form: no leading zeros, no minus before zero, and no trailing zeros after the point. With
 * `fixedScale`, it has exactly that many digits after the point. The function reads each character once, because responses
 * contain many decimals.
 * @throws {TypeError} if `value` is not a plain decimal, or has more digits after the point than `fixedScale`
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

/** Returns the index of the point, or -1. @throws {TypeError} if the rest is not a plain decimal */
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
