/** SQL that converts a decimal column to a number. SQLite stores decimals as text. */
export const asNumber = (column: string): string => `CAST(${column} AS DECIMAL(18,4))`;
