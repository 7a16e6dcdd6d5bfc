/** The expression of a decimal column as a number. SQLite stores decimals as text. */
export const asNumber = (column: string): string => `CAST(${column} AS DECIMAL(18,4))`;
