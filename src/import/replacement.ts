import type { Row } from '../database/query.js';
import { type ImportTable, isReferredTo } from './import-tables.js';
import type { ImportContext, TableImport } from './table-import.js';
import { keyText, TableRows, type RowValues } from './table-rows.js';
import { scanTable } from './table-scan.js';

const BATCH_ROWS = 1000;
/** The longest key, 64 and 255 characters of four bytes, all of them escaped. */
const KEY_BYTES = 2 * 4 * (64 + 255);
/** A file that would take away more than this part of what it speaks for is more likely cut short than true. */
const MOST_REMOVED = 0.2;

/** How many stored rows of a table, all and those that its file speaks for, stay or go. */
interface Tally {
  /** The file for want of whose rows they go. */
  file: string;
  removed: number;
  all: number;
  removedInScope: number;
  inScope: number;
}

/**
 * Removes what a `--replace` leaves out: rows of a file's table that are not in the file, and rows that hang on removed
 * ones. Row by row and children first, so that every removed row is counted.
 */
export class Replacement {
  /** Keys of removed rows of the tables that others refer to, and the files that do not hold them. */
  private readonly gone = new Map<ImportTable, { file: string; keys: Set<string> }>();
  private readonly tallies = new Map<ImportTable, Tally>();

  constructor(private readonly context: ImportContext) {}

  /** Visits a table after those that it refers to. @param file its import, where it has one */
  async visit(table: ImportTable, file?: TableImport): Promise<void> {
    const parents = Object.values(table.references).map((parent) => this.gone.get(parent));
    const cause = (file?.replaces ? file.source.file : undefined) ?? parents.find((gone) => gone?.keys.size)?.file;
    if (cause !== undefined) await this.removeFrom(table, cause, file);
  }

  /** Removes what others hung on, and complains where too much goes. @returns how many rows of each table are removed */
  async finish(allowRemovals: boolean): Promise<ReadonlyMap<ImportTable, number>> {
    if (!allowRemovals) this.guard();
    for (const [table, { keys }] of [...this.gone].toReversed())
      await this.remove(
        table,
        [...keys].map((key) => [key]),
      );
    return new Map([...this.tallies].map(([table, { removed }]) => [table, removed]));
  }

  private async removeFrom(table: ImportTable, cause: string, file?: TableImport): Promise<void> {
    const selected = [...new Set([...table.key, ...Object.keys(table.references)])];
    // What is in the file and was stored before stays.
    const kept = file ? file.counts.changed + file.counts.unchanged : 0;
    const tally = { file: cause, removed: 0, all: kept, removedInScope: 0, inScope: file?.replaces ? kept : 0 };
    this.tallies.set(table, tally);
    const gone = isReferredTo(table) ? new Set<string>() : undefined;
    if (gone) this.gone.set(table, { file: cause, keys: gone });
    for await (const rows of scanTable(this.context.session.query, table, selected, BATCH_ROWS)) {
      const removed = rows
        .filter((row) => this.goes(table, row, tally, file))
        .map((row) => table.key.map((name) => String(row[name])));
      if (gone) for (const [key] of removed) gone.add(key!);
      else await this.remove(table, removed);
    }
  }

  /** Whether a stored row goes; counts it. */
  private goes(table: ImportTable, row: Row, tally: Tally, file?: TableImport): boolean {
    const inFile = file?.keys.has(keyText(table.key.map((name) => row[name])));
    const speaks = !table.replacedWithin || file?.named.has(String(row[table.replacedWithin]));
    const within = Boolean(file?.replaces && speaks);
    const orphaned = Object.entries(table.references).filter(([column, parent]) =>
      this.gone.get(parent)?.keys.has(row[column] as string),
    );
    for (const [column, parent] of within && !inFile ? [] : orphaned)
      // What the file gives such a row instead was looked up when it was read.
      if (!table.key.includes(column) && !(inFile && file?.speaksOf(column))) this.report(table, row, column, parent);
    if (inFile) return false;
    const goes = within || orphaned.some(([column]) => table.key.includes(column));
    tally.all++;
    tally.removed += Number(goes);
    tally.inScope += Number(within);
    tally.removedInScope += Number(within);
    return goes;
  }

  /** A row that merely names a removed one, as a customer does its price list, must not lose it. */
  private report(table: ImportTable, row: Row, column: string, parent: ImportTable): void {
    const key = table.key.map((name) => row[name]);
    this.context.problems.add(
      this.gone.get(parent)!.file,
      0,
      column,
      `"${row[column]}" is not in the file and would be removed, but ${table.name} ${key.join(', ')} has it`,
    );
  }

  private async remove(table: ImportTable, keys: readonly RowValues[]): Promise<void> {
    if (!this.context.problems.none) return;
    const rows = new TableRows(this.context.session, table, table.columns, this.context.changes);
    const atOnce = Math.max(1, Math.min(BATCH_ROWS, Math.floor(this.context.session.limits.bytes / KEY_BYTES) - 1));
    for (let start = 0; start < keys.length; start += atOnce) {
      const portion = keys.slice(start, start + atOnce);
      await this.context.guards.removing(table, portion, this.tallies.get(table)!.file);
      await rows.remove(portion);
    }
  }

  private guard(): void {
    for (const [{ name, replacedWithin }, { file, removed, all, removedInScope, inScope }] of this.tallies) {
      const scope = replacedWithin ? `${name} that it speaks for` : name;
      const message = tooMany(removedInScope, inScope, scope) ?? tooMany(removed, all, name);
      if (message) this.context.problems.add(file, 0, '', message);
    }
  }
}

/** What is said where `part` is too much of `whole`. */
function tooMany(part: number, whole: number, what: string): string | undefined {
  if (part <= whole * MOST_REMOVED) return undefined;
  const percent = ((part / whole) * 100).toFixed(1);
  return `would remove ${part} of ${whole} rows of ${what} (${percent} %), 20 % is the most; is the file complete? If it is, say --allow-removals`;
}
