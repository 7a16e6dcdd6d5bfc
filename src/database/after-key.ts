import type { SqlPart } from './engine.js';

/**
 * Returns the condition for rows whose key sorts after the given values. For `(a, b) > (?, ?)` MySQL cannot read a range
 * of an index, so the condition compares column by column.
 * @param columns the columns of the key, in the order of the key
 * @param values one value for each column, or fewer values for the beginning of a key
 */
export function afterKey([column, ...others]: readonly string[], [value, ...rest]: readonly unknown[]): SqlPart {
  if (!rest.length) return { sql: `${column} > ?`, parameters: [value] };
  const further = afterKey(others, rest);
  return {
    sql: `${column} >= ? AND (${column} > ? OR ${further.sql})`,
    parameters: [value, value, ...further.parameters],
  };
}
