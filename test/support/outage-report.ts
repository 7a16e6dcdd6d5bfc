/** What an outage was for one kind of call; times in milliseconds. */
export interface KindReport {
  kind: string;
  /** Of calls that were under way while it lasted, how many had each outcome, and how long they took. */
  outcomes: Record<string, number>;
  median: number;
  longest: number;
  /** From its end to the beginning of the last call that was not answered as usual. */
  recovery: number;
}

const HEADERS = ['call', 'answers', 'outcomes', 'median ms', 'longest ms', 'recovery s'];

/** The reports as a table for people, a line each. */
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
