/** The values of a key, starting with the SKU. Each is a text or a number, as the database returns it. */
export type Key = readonly unknown[];

/** Whether a key sorts after another one in the database. A key sorts after a key that is its beginning. */
export function isAfter(key: Key, other: Key): boolean {
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

/** Compares texts by code point. The operators of JavaScript compare UTF-16 code units. */
export function compareCodePoints(one: string, other: string): number {
  const length = Math.min(one.length, other.length);
  for (let index = 0; index < length; index++) {
    const [left, right] = [one.charCodeAt(index), other.charCodeAt(index)];
    if (left !== right) return rank(left) - rank(right);
  }
  return one.length - other.length;
}

/** Ranks surrogates above the code units from U+E000 on, as their code points do. */
const rank = (unit: number) => (unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit);
