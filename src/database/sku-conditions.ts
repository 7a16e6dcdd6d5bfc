import type { SqlPart } from './engine.js';
import type { Row } from './query.js';

/** Returns the condition that a SKU is in the list. */
export const oneOf = (skus: readonly string[], column = 'SKU'): SqlPart => ({
  sql: `${column} IN (${skus.map(() => '?').join()})`,
  parameters: skus,
});

/**
 * Returns the condition that a column is between two values, or equals one of them. `BETWEEN` returns too few rows on
 * MariaDB: it takes two values for equal if they differ only in case or accents, because it compares them by the
 * collation of the connection (decision 48).
 */
export const between = (column: string): string => `${column} >= ? AND ${column} <= ?`;

/** Returns the condition that a SKU is between the first and the last of the list. @param skus in order */
export const allBetween = (skus: readonly string[]): SqlPart => ({
  sql: between('SKU'),
  parameters: [skus[0], skus.at(-1)],
});

export const skusOf = (rows: readonly Row[]) => rows.map(({ SKU }) => SKU as string);
