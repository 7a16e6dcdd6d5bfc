import type { CsvRecord } from '../csv/record-parser.js';
import { cellsOf, type Rule, type RowRule } from '../map/mapping-rule.js';
import { SourceFault } from '../table-source.js';
import { LookedUpRows } from './looked-up-rows.js';
import { TextStore } from './text-store.js';

/** The columns of a file, by header. */
interface Columns {
  has(header: string): boolean;
  position(header: string): number;
}

/** The rows that the rules of a map look up in a file, grouped by the headers of their key. */
export class Lookups {
  /** If false, the file could not be read to its end, so a row that was not found may exist. */
  complete = true;
  private readonly rows = new Map<string, LookedUpRows>();
  private readonly texts = new TextStore();
  private isRead = false;

  constructor(
    rules: readonly Rule[],
    private readonly columns: Columns,
  ) {
    for (const { from, rows } of rules.flatMap(cellsOf)) for (const row of rows) this.register(from, row);
  }

  /**
   * Finds a cell by a key. Returns '' if the cell is empty, undefined if no row has the key, and null if a part of the key
   * is empty.
   * @param headers of the key, joined by `\0`
   */
  find(headers: string, key: readonly string[], position: number): string | undefined | null {
    const found = this.rows.get(headers)?.find(key, position);
    return typeof found === 'number' ? this.texts.get(found) : found === 'empty' ? '' : found;
  }

  /** Reads the rows of the file, once. @param records yields all records after the header */
  async read(records: () => AsyncIterable<readonly CsvRecord[]>): Promise<void> {
    if (this.isRead || !this.rows.size) return;
    this.isRead = true;
    try {
      for await (const chunk of records()) for (const { cells } of chunk) this.note(cells);
    } catch (error) {
      // The next table that is read has the same fault and reports it.
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
    for (const header of from) rows.storeColumn(this.columns.position(header));
  }

  /** Adds a row. A cell that several keys need is stored once. */
  private note(cells: readonly string[]): void {
    const stored = new Map<number, number>();
    const store = (position: number) => {
      const number = stored.get(position) ?? this.texts.add(cells[position]!);
      stored.set(position, number);
      return number;
    };
    for (const rows of this.rows.values()) rows.note(cells, store);
  }
}
