import { compareCodePoints } from '../assortment/key-order.js';
import type { SqlPart } from '../database/engine.js';
import { between } from '../database/sku-conditions.js';
import type { FieldDeclaration } from '../resource/field.decorator.js';
import { isText, type RowValues } from './cell.js';
import { keyText } from './key-text.js';

/** How many ranges a condition has, at most. */
const MAX_RANGES = 100;

/** Keys that begin with the values of `head`. In the next column, they range from `first` to `last`. */
interface KeyRange {
  readonly head: RowValues;
  first: string;
  last: string;
}

/**
 * Returns a condition for a few ranges of keys that contain all given keys, and maybe others. A database reads a range
 * several times faster than a list of keys.
 * @param columns the columns of the key
 * @returns undefined if no key column is text. The database may order other types in another way than this process.
 */
export function keyRanges(columns: readonly FieldDeclaration[], keys: readonly RowValues[]): SqlPart | undefined {
  // A longer head gives narrower ranges. Without a head, there is one range.
  for (let head = columns.length - 1; head >= 0; head--) {
    if (!isText(columns[head]!)) continue;
    const ranges = rangesOf(keys, head);
    if (ranges) return conditionOf(columns, ranges);
  }
}

/** @param head the number of columns in the head @returns undefined if there are too many ranges */
function rangesOf(keys: readonly RowValues[], head: number): KeyRange[] | undefined {
  const ranges = new Map<string, KeyRange>();
  for (const key of keys) {
    const values = key.slice(0, head);
    const value = String(key[head]);
    const group = keyText(values);
    const range = ranges.get(group);
    if (!range) ranges.set(group, { head: values, first: value, last: value });
    else if (compareCodePoints(value, range.first) < 0) range.first = value;
    else if (compareCodePoints(value, range.last) > 0) range.last = value;
    if (ranges.size > MAX_RANGES) return undefined;
  }
  return [...ranges.values()];
}

function conditionOf(columns: readonly FieldDeclaration[], ranges: readonly KeyRange[]): SqlPart {
  const head = ranges[0]!.head.length;
  const equal = columns.slice(0, head).map(({ name }) => `${name} = ?`);
  const sql = [...equal, between(columns[head]!.name)].join(' AND ');
  return {
    sql: ranges.map(() => `(${sql})`).join(' OR '),
    parameters: ranges.flatMap(({ head: values, first, last }) => [...values, first, last]),
  };
}
