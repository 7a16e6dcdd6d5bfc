import type { SqlPart } from './engine.js';

/**
 * The condition of the rows behind a key. It is spelled out because MySQL reads no range of an index for (a, b) > (?, ?).
 * @param columns of the key, in its order
 * @param values of these columns; fewer values are the beginning of a key
 */
export function behindKey([column, ...others]: readonly string[], [value, ...rest]: readonly unknown[]): SqlPart {
  if (!rest.length) return { sql: `${column} > ?`, parameters: [value] };
  const further = behindKey(others, rest);
  return {
    sql: `${column} >= ? AND (${column} > ? OR ${further.sql})`,
    parameters: [value, value, ...further.parameters],
  };
}
