import type { Row } from '../database/query.js';
import type { Field } from '../resource/field.decorator.js';
import { type ImportTable, isReferredTo } from './import-tables.js';
import type { ImportContext, TableImport } from './table-import.js';
import { KEY_SEPARATOR, TableRows, type RowValues } from './table-rows.js';
import { scanTable } from './table-scan.js';

const BATCH_ROWS = 1000;
/** A file that would take away more than this part of what it speaks for is more likely cut short than true. */
const MOST_REMOVED = 0.2;

/** How many stored rows of a table, all and those that its file speaks for, stay or go. */
interface Tally {
  file: string;
  removed: number;
  all: number;
  removedInScope: number;
  inScope: number;
}

/**
 * Removes what a `--replace` leaves out: rows of a file's table that are not in the file, and rows that hang on removed
 * ones. Row by row and children first, so that every removed row is counted, in a dry run, too.
 */
export class Replacement {
  /** Keys of removed rows of the tables that others refer to, and the files that do not hold them. */
  private readonly gone = new Map<ImportTable, { file: string; keys: Set<string> }>();
  private readonly tallies = new Map<ImportTable, Tally>();

  constructor(private readonly context: ImportContext) {}

  /** Visits a table after those that it refers to. @param file its import, where it has one */
  async visit(table: ImportTable, file?: TableImport): Promise<void> {
    const orphans = parents(table).some(([, parent]) => this.gone.get(parent)?.keys.size);
    if (file || orphans) await this.removeFrom(table, file);
  }

  /** Removes what others hung on, and complains where too much goes. @returns how many rows of each table are removed */
  async finish(allowRemovals: boolean): Promise<ReadonlyMap<ImportTable, number>> {
    for (const [table, { keys }] of [...this.gone].toReversed())
      await this.remove(
        table,
        [...keys].map((key) => [key]),
      );
    if (!allowRemovals) this.guard();
    return new Map([...this.tallies].map(([table, { removed }]) => [table, removed]));
  }

  private async removeFrom(table: ImportTable, file?: TableImport): Promise<void> {
    const keys = keysOf(table);
    const selected = [...keys, ...parents(table).map(([{ name }]) => name)];
    // What is in the file and was stored before stays.
    const kept = file ? file.counts.changed + file.counts.unchanged : 0;
    const tally = { file: file?.source.file ?? table.name, removed: 0, all: kept, removedInScope: 0, inScope: kept };
    this.tallies.set(table, tally);
    const gone = isReferredTo(table) ? new Set<string>() : undefined;
    if (gone) this.gone.set(table, { file: tally.file, keys: gone });
    for await (const rows of scanTable(this.context.session.query, table, [...new Set(selected)], BATCH_ROWS)) {
      const removed = rows
        .filter((row) => this.goes(table, row, tally, file))
        .map((row) => keys.map((key) => String(row[key])));
      if (gone) for (const [key] of removed) gone.add(key!);
      else await this.remove(table, removed);
    }
  }

  /** Whether a stored row goes; counts it. */
  private goes(table: ImportTable, row: Row, tally: Tally, file?: TableImport): boolean {
    const key = keysOf(table)
      .map((name) => row[name])
      .join(KEY_SEPARATOR);
    if (file?.keys.has(key)) return false;
    const within = file !== undefined && (!table.replacedWithin || file.named.has(String(row[table.replacedWithin])));
    const orphaned = parents(table).filter(([{ name }, parent]) =>
      this.gone.get(parent)?.keys.has(row[name] as string),
    );
    for (const [column, parent] of within ? [] : orphaned)
      if (!column.primary) this.complain(table, row, column, parent);
    const goes = within || orphaned.some(([{ primary }]) => primary);
    tally.all++;
    tally.removed += Number(goes);
    tally.inScope += Number(within);
    tally.removedInScope += Number(within);
    return goes;
  }

  /** A row that merely names a removed one, as a customer does its price list, must not lose it. */
  private complain(table: ImportTable, row: Row, column: Field, parent: ImportTable): void {
    const key = keysOf(table).map((name) => row[name]);
    this.context.problems.add(
      this.gone.get(parent)!.file,
      0,
      column.name,
      `"${row[column.name]}" is not in the file and would be removed, but ${table.name} ${key.join(', ')} has it`,
    );
  }

  private async remove(table: ImportTable, keys: readonly RowValues[]): Promise<void> {
    if (this.context.dryRun || !this.context.problems.none) return;
    const rows = new TableRows(this.context.session, table, table.columns, this.context.changes);
    for (let start = 0; start < keys.length; start += BATCH_ROWS)
      await rows.remove(keys.slice(start, start + BATCH_ROWS));
  }

  private guard(): void {
    for (const [table, { file, removed, all, removedInScope, inScope }] of this.tallies) {
      const [part, whole] = removedInScope > inScope * MOST_REMOVED ? [removedInScope, inScope] : [removed, all];
      if (part > whole * MOST_REMOVED) this.context.problems.add(file, 0, '', tooMany(table, part, whole));
    }
  }
}

function tooMany({ name, replacedWithin }: ImportTable, part: number, whole: number): string {
  const percent = ((part / whole) * 100).toFixed(1);
  const scope = replacedWithin ? ' that it speaks for' : '';
  return `would remove ${part} of ${whole} rows of ${name}${scope} (${percent} %), 20 % is the most; is the file complete? If it is, say --allow-removals`;
}

const keysOf = ({ columns }: ImportTable) => columns.filter(({ primary }) => primary).map(({ name }) => name);

const parents = ({ columns, references }: ImportTable): [Field, ImportTable][] =>
  columns.filter(({ name }) => references[name]).map((column) => [column, references[column.name]!]);
