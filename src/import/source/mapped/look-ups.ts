import { CellError } from '../../cell.js';
import type { CsvRecord } from '../csv/record-parser.js';
import { cellsOf, type KeyRule, type NumberFormat, type Rule, type RowRule } from '../map/mapping-rule.js';
import { SourceFault } from '../table-source.js';
import { LookedUpRows } from './looked-up-rows.js';
import { RuleValues, valueOrError } from './rule-values.js';

/** The columns of a file, by header. */
interface Columns {
  has(header: string): boolean;
  position(header: string): number;
}

/** All rows that the rules of a map look up in a file, by the headers of their key. */
export class LookUps {
  /** False: the file could not be read to its end, so that a row which is not found may be there. */
  complete = true;
  private readonly rows = new Map<string, LookedUpRows>();
  /** Notes the keys that a row refers to. */
  private readonly wants: ((cells: readonly string[]) => void)[] = [];
  private readonly keys: RuleValues;
  private isRead = false;

  constructor(
    rules: readonly Rule[],
    private readonly columns: Columns,
    format: NumberFormat,
  ) {
    this.keys = new RuleValues((header) => columns.position(header), format, this);
    for (const { from, rows } of rules.flatMap(cellsOf)) for (const row of rows) this.register(from, row);
  }

  /** The rows by a key; undefined if the file lacks one of its headers. */
  by(headers: readonly string[]): LookedUpRows | undefined {
    return this.rows.get(headers.join('\0'));
  }

  /** Reads the rows of the file, once. @param records reads the file from its beginning, without the header */
  async read(records: () => AsyncIterable<readonly CsvRecord[]>): Promise<void> {
    if (this.isRead || !this.rows.size) return;
    this.isRead = true;
    try {
      if (this.wants.length) for await (const chunk of records()) for (const { cells } of chunk) this.noteKeys(cells);
      for await (const chunk of records())
        for (const { cells } of chunk) for (const rows of this.rows.values()) rows.note(cells);
    } catch (error) {
      // The table that is read next meets the same fault and tells of it.
      if (!(error instanceof SourceFault)) throw error;
      this.complete = false;
    }
  }

  private register(from: readonly string[], row: RowRule): void {
    if (row === 'this' || 'above' in row) return;
    const headers = row.key.map(([header]) => header);
    if (![...headers, ...from].every((header) => this.columns.has(header))) return;
    const name = headers.join('\0');
    const rows = this.rows.get(name) ?? new LookedUpRows(headers.map((header) => this.columns.position(header)));
    this.rows.set(name, rows);
    for (const header of from) rows.keep(this.columns.position(header));
    if (isAnyKey(row)) rows.wantAll();
    else this.wants.push(this.wanting(rows, row));
  }

  private wanting(rows: LookedUpRows, { key }: KeyRule): (cells: readonly string[]) => void {
    const reads = key.map(([, is]) => this.keys.text(is));
    return (cells) => {
      const texts = reads.map((read) => valueOrError(() => read(cells)));
      if (!texts.some((text) => text instanceof CellError)) rows.want(texts as string[]);
    };
  }

  private noteKeys(cells: readonly string[]): void {
    this.keys.note(cells);
    for (const want of this.wants) want(cells);
  }
}

/** Whether rows refer to every key, as they do to their own, or to keys that are looked up themselves. */
function isAnyKey({ key }: KeyRule): boolean {
  const isOwn = key.every(([header, is]) => is.kind === 'cell' && is.from.length === 1 && is.from[0] === header);
  return isOwn || key.some(([, is]) => cellsOf(is).some(({ rows }) => rows.some((row) => row !== 'this')));
}
