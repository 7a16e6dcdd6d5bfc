import type { SqlPart } from './engine.js';
import type { Row } from './query.js';

/** The condition that a SKU is one of these. */
export const oneOf = (skus: readonly string[], column = 'SKU'): SqlPart => ({
  sql: `${column} IN (${skus.map(() => '?').join()})`,
  parameters: skus,
});

/** The condition that a SKU is one of these, which are in order, or between two of them. */
export const allBetween = (skus: readonly string[]): SqlPart => ({
  sql: 'SKU BETWEEN ? AND ?',
  parameters: [skus[0], skus.at(-1)],
});

export const skusOf = (rows: readonly Row[]) => rows.map(({ SKU }) => SKU as string);
