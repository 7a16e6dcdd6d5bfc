/** A row of a result: values by column name. */
export type Row = Record<string, unknown>;

/** Runs one SQL statement with `?` placeholders and returns its rows. */
export type Query = (sql: string, parameters?: readonly unknown[]) => Promise<Row[]>;
