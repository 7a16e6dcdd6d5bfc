import type { RowValues } from './cell.js';
import type { Row } from '../database/query.js';
import { type ImportTable, isReferenced } from './import-tables.js';
import type { ImportContext, TableImport } from './table-import.js';
import { keyText } from './key-text.js';
import { TableRows } from './table-rows.js';
import { scanTable } from './table-scan.js';

const BATCH_ROWS = 1000;
/** The longest key: 64 and 255 characters of four bytes, all of them escaped. */
const KEY_BYTES = 2 * 4 * (64 + 255);
/** A file that would remove a larger share of the rows in its scope is probably truncated. */
const MAX_REMOVED_SHARE = 0.2;

/** Counts the stored rows of a table and the removed ones, in the whole table and in the scope of its file. */
interface Tally {
  /** The file whose missing rows cause the removals. */
  file: string;
  removed: number;
  all: number;
  removedInScope: number;
  inScope: number;
}

/**
 * Removes rows for `--replace`: rows in the scope of a file that are not in the file, and rows whose key references a
 * removed row. Removes rows by key, and referencing rows before the rows that they reference, so that every removed row
 * is counted.
 */
export class Replacement {
  /** For each referenced table, the keys of removed rows and the file that lacks them. */
  private readonly removedKeys = new Map<ImportTable, { file: string; keys: Set<string> }>();
  private readonly tallies = new Map<ImportTable, Tally>();

  constructor(private readonly context: ImportContext) {}

  /** Call it for each table after the tables that it references. @param file the import of the table's file, if any */
  async visit(table: ImportTable, file?: TableImport): Promise<void> {
    const parents = Object.values(table.references).map((parent) => this.removedKeys.get(parent));
    const cause = (file?.replaces ? file.source.file : undefined) ?? parents.find((parent) => parent?.keys.size)?.file;
    if (cause !== undefined) await this.removeFrom(table, cause, file);
  }

  /**
   * Removes the rows of referenced tables.
   * @param allowRemovals false: adds a problem for each table that would lose too many rows
   * @returns the number of removed rows of each table
   */
  async finish(allowRemovals: boolean): Promise<ReadonlyMap<ImportTable, number>> {
    if (!allowRemovals) this.guard();
    for (const [table, { keys }] of [...this.removedKeys].toReversed())
      await this.remove(
        table,
        [...keys].map((key) => [key]),
      );
    return new Map([...this.tallies].map(([table, { removed }]) => [table, removed]));
  }

  private async removeFrom(table: ImportTable, cause: string, file?: TableImport): Promise<void> {
    const selected = [...new Set([...table.key, ...Object.keys(table.references)])];
    // Stored rows that are also in the file stay.
    const retained = file ? file.counts.changed + file.counts.unchanged : 0;
    const tally = { file: cause, removed: 0, all: retained, removedInScope: 0, inScope: file?.replaces ? retained : 0 };
    this.tallies.set(table, tally);
    const removedKeys = isReferenced(table) ? new Set<string>() : undefined;
    if (removedKeys) this.removedKeys.set(table, { file: cause, keys: removedKeys });
    for await (const rows of scanTable(this.context.session.query, table, selected, BATCH_ROWS)) {
      const removed = rows
        .filter((row) => this.isRemoved(table, row, tally, file))
        .map((row) => table.key.map((name) => String(row[name])));
      if (removedKeys) for (const [key] of removed) removedKeys.add(key!);
      else await this.remove(table, removed);
    }
  }

  /** Whether a stored row is removed. Counts it in the tally. */
  private isRemoved(table: ImportTable, row: Row, tally: Tally, file?: TableImport): boolean {
    const inFile = file?.keys.has(keyText(table.key.map((name) => row[name])));
    const isCovered = !table.replacedWithin || file?.scopeValues.has(String(row[table.replacedWithin]));
    const inScope = Boolean(file?.replaces && isCovered);
    const orphaned = Object.entries(table.references).filter(([column, parent]) =>
      this.removedKeys.get(parent)?.keys.has(row[column] as string),
    );
    for (const [column, parent] of inScope && !inFile ? [] : orphaned)
      // If the file has the column, the new reference of the row was checked when the file was read.
      if (!table.key.includes(column) && !(inFile && file?.hasColumn(column))) this.report(table, row, column, parent);
    if (inFile) return false;
    const isRemoved = inScope || orphaned.some(([column]) => table.key.includes(column));
    tally.all++;
    tally.removed += Number(isRemoved);
    tally.inScope += Number(inScope);
    tally.removedInScope += Number(inScope);
    return isRemoved;
  }

  /** Reports a row that references a removed row outside its key, for example a customer and its price list. */
  private report(table: ImportTable, row: Row, column: string, parent: ImportTable): void {
    const key = table.key.map((name) => row[name]);
    this.context.problems.add(
      this.removedKeys.get(parent)!.file,
      0,
      column,
      `"${row[column]}" is not in the file and would be removed, but ${key.join(', ')} in ${table.name} references it; change that row first`,
    );
  }

  private async remove(table: ImportTable, keys: readonly RowValues[]): Promise<void> {
    if (!this.context.problems.none) return;
    const rows = new TableRows(this.context.session, table, table.columns, this.context.changes);
    const batchRows = Math.max(1, Math.min(BATCH_ROWS, Math.floor(this.context.session.limits.bytes / KEY_BYTES) - 1));
    for (let start = 0; start < keys.length; start += batchRows) {
      const batch = keys.slice(start, start + batchRows);
      await this.context.guards.beforeRemoval(table, batch, this.tallies.get(table)!.file);
      await rows.remove(batch);
    }
  }

  private guard(): void {
    for (const [{ name, replacedWithin }, { file, removed, all, removedInScope, inScope }] of this.tallies) {
      const scope = replacedWithin ? `${name} whose ${replacedWithin} is in the file` : name;
      const message = tooMany(removedInScope, inScope, scope) ?? tooMany(removed, all, name);
      if (message) this.context.problems.add(file, 0, '', message);
    }
  }
}

/** The message if `part` is too large a share of `whole`; otherwise undefined. */
function tooMany(part: number, whole: number, rows: string): string | undefined {
  if (part <= whole * MAX_REMOVED_SHARE) return undefined;
  const percent = ((part / whole) * 100).toFixed(1);
  return `would remove ${part} of ${whole} rows of ${rows} (${percent} %), 20 % is the maximum; if the file is complete, pass --allow-removals`;
}
