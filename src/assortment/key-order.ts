/** The values of a key, the SKU first: text, or numbers as the database returns them. */
export type Key = readonly unknown[];

/** Whether a key stands behind another one in the order of the database. A key stands behind its own beginning. */
export function isBehind(key: Key, other: Key): boolean {
  for (const [index, value] of key.entries()) {
    if (index === other.length) return true;
    const order = compare(value, other[index]);
    if (order) return order > 0;
  }
  return false;
}

function compare(one: unknown, other: unknown): number {
  if (typeof one === 'number' && typeof other === 'number') return one - other;
  return compareCodePoints(String(one), String(other));
}

/** Text in the order of its code points. JavaScript compares halves of code points. */
export function compareCodePoints(one: string, other: string): number {
  const length = Math.min(one.length, other.length);
  for (let index = 0; index < length; index++) {
    const [left, right] = [one.charCodeAt(index), other.charCodeAt(index)];
    if (left !== right) return rank(left) - rank(right);
  }
  return one.length - other.length;
}

/** Halves of large code points stand behind the small ones from U+E000 on. */
const rank = (unit: number) => (unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit);
