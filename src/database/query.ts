/** A row of a result: values by column name. */
export type Row = Record<string, unknown>;

/** Runs one SQL statement with `?` placeholders and returns its rows. */
export type Query = (sql: string, parameters?: readonly unknown[]) => Promise<Row[]>;

/** An SQL statement with `?` placeholders. */
export interface Statement {
  readonly sql: string;
  readonly parameters?: readonly unknown[];
  /** Whether a server gets the statement as a prepared one, once for each connection. Default: false. */
  readonly isPrepared?: boolean;
}
