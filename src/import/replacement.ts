import type { Row } from '../database/query.js';
import type { Field } from '../resource/field.decorator.js';
import { IMPORT_TABLES, type ImportTable } from './import-tables.js';
import type { ImportContext, TableImport } from './table-import.js';
import { KEY_SEPARATOR, TableRows, type RowValues } from './table-rows.js';
import { scanTable } from './table-scan.js';

const BATCH_ROWS = 1000;
/** A file that would take away more than this part of what it speaks for is more likely cut short than true. */
const MOST_REMOVED = 0.2;

/** How many stored rows of a table, all and those that its file speaks for, stay or go. */
interface Tally {
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
  /** Keys of removed rows of the tables that others refer to. */
  private readonly gone = new Map<ImportTable, Set<string>>();
  private readonly tallies = new Map<ImportTable, Tally>();
  private readonly imports: ReadonlyMap<ImportTable, TableImport>;

  constructor(
    imports: readonly TableImport[],
    private readonly context: ImportContext,
  ) {
    this.imports = new Map(imports.map((one) => [one.source.table, one]));
  }

  /** @returns how many rows of each table are removed */
  async run(allowRemovals: boolean): Promise<ReadonlyMap<ImportTable, number>> {
    for (const table of IMPORT_TABLES) if (this.concerns(table)) await this.removeFrom(table);
    for (const [table, gone] of [...this.gone].toReversed())
      await this.remove(
        table,
        [...gone].map((key) => [key]),
      );
    if (!allowRemovals) this.guard();
    return new Map([...this.tallies].map(([table, { removed }]) => [table, removed]));
  }

  private concerns(table: ImportTable): boolean {
    return this.imports.has(table) || parents(table).some(([, parent]) => this.gone.get(parent)?.size);
  }

  private async removeFrom(table: ImportTable): Promise<void> {
    const keys = keysOf(table);
    const selected = [...keys, ...parents(table).map(([{ name }]) => name)];
    const tally = this.tallyOf(table);
    const gone = isParent(table) ? new Set<string>() : undefined;
    if (gone) this.gone.set(table, gone);
    for await (const rows of scanTable(this.context.session.query, table, [...new Set(selected)], BATCH_ROWS)) {
      const removed = rows
        .filter((row) => this.goes(table, row, tally))
        .map((row) => keys.map((key) => String(row[key])));
      if (gone) for (const [key] of removed) gone.add(key!);
      else await this.remove(table, removed);
    }
  }

  /** Whether a stored row goes; counts it. */
  private goes(table: ImportTable, row: Row, tally: Tally): boolean {
    const file = this.imports.get(table);
    const key = keysOf(table)
      .map((name) => row[name])
      .join(KEY_SEPARATOR);
    if (file?.keys.has(key)) return false;
    const within = file !== undefined && (!table.replacedWithin || file.named.has(String(row[table.replacedWithin])));
    const orphaned = parents(table).filter(([{ name }, parent]) => this.gone.get(parent)?.has(row[name] as string));
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
      this.imports.get(parent)!.source.file,
      0,
      column.name,
      `"${row[column.name]}" is not in the file and would be removed, but ${table.name} ${key.join(', ')} has it`,
    );
  }

  private tallyOf(table: ImportTable): Tally {
    // What is in the file and was stored before stays.
    const { changed = 0, unchanged = 0 } = this.imports.get(table)?.counts ?? {};
    const kept = changed + unchanged;
    const tally = { removed: 0, all: kept, removedInScope: 0, inScope: kept };
    this.tallies.set(table, tally);
    return tally;
  }

  private async remove(table: ImportTable, keys: readonly RowValues[]): Promise<void> {
    if (this.context.dryRun || !this.context.problems.none) return;
    const rows = new TableRows(this.context.session, table, table.columns);
    for (let start = 0; start < keys.length; start += BATCH_ROWS)
      await rows.remove(keys.slice(start, start + BATCH_ROWS));
  }

  private guard(): void {
    for (const [table, { removed, all, removedInScope, inScope }] of this.tallies) {
      const file = this.imports.get(table)?.source.file ?? table.name;
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

const isParent = (table: ImportTable) =>
  IMPORT_TABLES.some(({ references }) => Object.values(references).includes(table));
