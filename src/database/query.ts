/** One row of a result, by column name. */
export type Row = Record<string, unknown>;

/** Runs one SQL statement with `?` placeholders on some connection and returns its rows. */
export type Query = (sql: string, parameters?: readonly unknown[]) => Promise<Row[]>;
