import type { SqlPart } from './engine.js';
import type { Row } from './query.js';

/** Returns the condition that a SKU is in the list. */
export const oneOf = (skus: readonly string[], column = 'SKU'): SqlPart => ({
  sql: `${column} IN (${skus.map(() => '?').join()})`,
  parameters: skus,
});

/** Returns the condition that a SKU is between the first and the last of the list. @param skus in order */
export const allBetween = (skus: readonly string[]): SqlPart => ({
  sql: 'SKU BETWEEN ? AND ?',
  parameters: [skus[0], skus.at(-1)],
});

export const skusOf = (rows: readonly Row[]) => rows.map(({ SKU }) => SKU as string);
