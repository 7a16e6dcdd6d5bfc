/** What a span says about an SQL statement. */
export interface StatementSummary {
  /** The first word, such as `SELECT`. */
  readonly operation: string;
  /** The first table. */
  readonly table?: string;
}

/** Characters of a statement that are searched for a table. */
const SEARCHED = 8192;
const OPERATION = /^[\s(]*(start transaction|[a-z]+)/i;
const TABLE = /\b(?:from|into|update)\s+`?([a-z_]\w*)/i;

/**
 * Summarizes an SQL statement. mysql2 has already replaced its placeholders by values, so the search ends at the first
 * quote: no part of a value can become a name.
 */
export function summarizeStatement(sql: string): StatementSummary {
  const [withoutValues] = sql.slice(0, SEARCHED).split(/['"]/, 1);
  const operation = OPERATION.exec(withoutValues!)?.[1]?.toUpperCase() ?? 'QUERY';
  return { operation, table: TABLE.exec(withoutValues!)?.[1] };
}
