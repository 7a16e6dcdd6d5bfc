/** The effects of an outage on one kind of request. Times are in milliseconds. */
export interface KindReport {
  kind: string;
  /** The number of requests with each outcome, among those open during the outage. */
  outcomes: Record<string, number>;
  median: number;
  longest: number;
  /** From the end of the outage to the start of the last request with an unusual outcome. */
  recovery: number;
}

const HEADERS = ['request', 'responses', 'outcomes', 'median ms', 'longest ms', 'recovery s'];

/** Formats the reports as a table, one line each. */
export function table(reports: readonly KindReport[]): string {
  const lines = [HEADERS, ...reports.map(cells)];
  const widths = HEADERS.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)));
  const pad = (cell: string, column: number) =>
    isText(column) ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!);
  return lines.map((line) => `  ${line.map(pad).join('  ')}\n`).join('');
}

const isText = (column: number) => column === 0 || column === 2;

function cells({ kind, outcomes, median, longest, recovery }: KindReport): string[] {
  const responses = Object.values(outcomes).reduce((sum, count) => sum + count, 0);
  const each = Object.entries(outcomes).map(([outcome, count]) => `${outcome} x ${count}`);
  const [middle, most] = [median, longest].map((time) => time.toFixed(0));
  return [kind, String(responses), each.join(', '), middle!, most!, (recovery / 1000).toFixed(1)];
}
