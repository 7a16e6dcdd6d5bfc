/**
 * Splits items into portions, in order. An item that is larger than the limit is a portion of its own.
 * @param sizeOf the size of an item in bytes
 * @param most the maximum bytes of a portion
 */
export function* portions<T>(items: readonly T[], sizeOf: (item: T) => number, most: number): Generator<T[]> {
  let portion: T[] = [];
  let bytes = 0;
  for (const item of items) {
    const size = sizeOf(item);
    if (portion.length && bytes + size > most) {
      yield portion;
      [portion, bytes] = [[], 0];
    }
    portion.push(item);
    bytes += size;
  }
  if (portion.length) yield portion;
}
