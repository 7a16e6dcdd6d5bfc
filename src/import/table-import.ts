import { setImmediate } from 'node:timers/promises';
import type { WriteSession } from '../database/engine.js';
import type { FieldDeclaration } from '../resource/field.decorator.js';
import { Batches } from './batch.js';
import { CellError, parseCell, type CellValue } from './cell.js';
import type { ContentChanges } from './content-changes.js';
import { quoted } from './excerpt.js';
import { isReferenced } from './import-tables.js';
import { KeyFaults } from './key-faults.js';
import { KeyIndex } from './key-index.js';
import type { KnownKeys } from './known-keys.js';
import { OnePerGroup } from './one-per-group.js';
import type { ImportGuards } from './import-guards.js';
import type { Problems } from './problems.js';
import type { CheckedRow, RowWatch } from './row-watch.js';
import { SourceFault, type SourceRow, type TableSource } from './source/table-source.js';
import { sameValues, TableRows } from './table-rows.js';

/** Counts of the rows of one table. For a dry run, the counts that the import would have. */
export interface RowCounts {
  /** Rows in the file. */
  rows: number;
  added: number;
  changed: number;
  unchanged: number;
  removed: number;
}

/** The objects and options that all tables of one import share. */
export interface ImportContext {
  session: WriteSession;
  problems: Problems;
  known: KnownKeys;
  changes: ContentChanges;
  guards: ImportGuards;
  /** Whether rows that are not in the files are removed. */
  replace: boolean;
  /** Key faults that were reported, see `KeyFaults`. */
  keyFaults: Set<string>;
}

/**
 * Reads the rows of one table from its source, reports their problems and writes rows that differ from the stored ones.
 * Stops writing once the import has a problem.
 */
export class TableImport {
  readonly counts: RowCounts = { rows: 0, added: 0, changed: 0, unchanged: 0, removed: 0 };
  /** The keys in the file and their lines. */
  readonly keys = new KeyIndex();
  /** The values of the column `replacedWithin` in the file. */
  readonly scopeValues = new Set<string>();
  private readonly scopePosition: number;
  /** Whether rows that are not in the file are removed. */
  readonly replaces: boolean;
  private readonly rows: TableRows;
  private readonly onePerGroup?: OnePerGroup;
  /** Columns that the file lacks. Stored rows keep their values. */
  private readonly absent: readonly FieldDeclaration[];
  private readonly watch?: RowWatch;
  private readonly keyFaults: KeyFaults;
  /** Whether the table was empty before the import. If so, no row needs a lookup. */
  private empty = false;
  /** Resolves when the last statement has succeeded and its rows are noted. */
  private writing = Promise.resolve();

  private constructor(
    readonly source: TableSource,
    private readonly context: ImportContext,
    private readonly onBatch: (rows: number) => void = () => undefined,
  ) {
    this.rows = new TableRows(context.session, source.table, source.columns, context.changes);
    this.onePerGroup = OnePerGroup.of(source);
    this.scopePosition = source.columns.findIndex(({ name }) => name === source.table.replacedWithin);
    this.absent = source.table.columns.filter(({ name }) => !this.hasColumn(name));
    this.watch = context.guards.watch(source);
    this.keyFaults = new KeyFaults(source);
    this.replaces = context.replace && !source.partial;
    if (isReferenced(source.table)) context.known.addFile(source.table, this.keys, this.replaces);
  }

  /** The names of the columns that the file lacks. */
  get absentColumns(): string[] {
    return this.absent.map(({ name }) => name);
  }

  /** Whether the file has this column. If not, stored rows keep their values. */
  hasColumn(column: string): boolean {
    return this.source.columns.some(({ name }) => name === column);
  }

  /**
   * Prepares the import of a source.
   * @returns undefined if the file has no data for the table, or cannot be read
   */
  static async begin(
    source: TableSource,
    context: ImportContext,
    onBatch?: (rows: number) => void,
  ): Promise<TableImport | undefined> {
    const { problems } = context;
    const hasData = await reportingFault(source, context, async () =>
      source.begin?.((line, column, message) => problems.add(source.file, line, column, message)),
    );
    return hasData === false ? undefined : new TableImport(source, context, onBatch);
  }

  async run(): Promise<void> {
    const { problems, session } = this.context;
    this.empty = await this.rows.isEmpty();
    await reportingFault(this.source, this.context, () => this.readAll());
    this.keyFaults.report(problems, this.counts.rows, this.context.keyFaults);
    if (!this.empty && !this.replaces && problems.none)
      await this.onePerGroup?.compare(session, this.keys, this.report);
  }

  /** Reads and checks a batch while the previous ones are compared and written. */
  private async readAll(): Promise<void> {
    const batches = new Batches(this.context.session.limits, this.source.columns.length);
    let storing = Promise.resolve();
    const next = async (batch: readonly SourceRow[]) => {
      const checked = batch.map((row) => this.check(row));
      await storing;
      this.onBatch((this.counts.rows += batch.length));
      storing = this.store(checked);
      // This promise is awaited later. A rejection before that would end the process if it had no handler.
      storing.catch(() => undefined);
      // Gives the driver time to send a statement before the next batch is read.
      await setImmediate();
    };
    try {
      for await (const chunk of this.source.rows(this.report))
        for (const row of chunk) {
          const full = batches.add(row);
          if (full) await next(full);
        }
    } finally {
      // The last rejection counts. If the statement failed, any other error is only a consequence.
      await next(batches.take())
        .finally(() => storing)
        .finally(() => this.writing);
    }
  }

  private readonly report = (line: number, column: string, message: string) =>
    this.context.problems.add(this.source.file, line, column, message);

  /** Parses the cells of a row and reports their faults. The value of an invalid cell is null. */
  private check({ line, cells, block }: SourceRow): CheckedRow {
    const bad: FieldDeclaration[] = [];
    const values = this.source.columns.map((column, index) => {
      try {
        return this.value(cells[index]!, column);
      } catch (error) {
        if (!(error instanceof CellError)) throw error;
        bad.push(column);
        if (column.primary && isEmpty(cells[index]!)) this.keyFaults.noteMissing(column, line);
        else this.report(line, this.source.label(column, block), error.message);
        return null;
      }
    });
    const row = { line, block, key: this.rows.keyOf(values), values };
    const isNew = !bad.some(({ primary }) => primary) && this.noteKey(row);
    if (isNew && !bad.length) this.note(row);
    return row;
  }

  /**
   * Records the key even if other cells of the row are invalid. Otherwise each reference to the row would be a further
   * problem.
   * @returns false if an earlier row has the same key
   */
  private noteKey({ line, key }: CheckedRow): boolean {
    const earlier = this.keys.add(key, line);
    if (earlier !== undefined) this.keyFaults.noteRepeated(line, earlier);
    return earlier === undefined;
  }

  private value(cell: string | CellError, column: FieldDeclaration): CellValue {
    if (cell instanceof CellError) throw cell;
    return parseCell(cell, column);
  }

  private note({ line, values }: CheckedRow): void {
    this.onePerGroup?.note(values, line, this.report);
    if (this.scopePosition >= 0) this.scopeValues.add(String(values[this.scopePosition]));
  }

  /**
   * Compares rows with the stored ones while the previous statement runs. Sends new and changed rows after that statement
   * has succeeded. Resolves when they are sent.
   */
  private async store(rows: readonly CheckedRow[]): Promise<void> {
    for (const column of this.source.columns) await this.checkReferences(column, rows);
    if (!this.context.problems.none || this.keyFaults.any || !rows.length) return;
    const stored = this.empty ? undefined : await this.rows.stored(rows.map(({ values }) => values));
    const fresh = rows.filter(({ key }) => !stored?.has(key));
    if (fresh[0]) this.refuseNew(fresh[0]);
    const changed = rows.filter(({ key, values }) => stored?.has(key) && !sameValues(values, stored.get(key)!));
    this.counts.added += fresh.length;
    this.counts.changed += changed.length;
    this.counts.unchanged += rows.length - fresh.length - changed.length;
    const written = [...fresh, ...changed].map(({ values }) => values);
    for (const values of written) this.onePerGroup?.noteWritten(values);
    // A deadlock ends the transaction. The server would execute and commit the next statement outside of it.
    await this.writing;
    await this.watch?.observe(rows, stored);
    if (!written.length || !this.context.problems.none) return;
    this.writing = this.rows.upsert(written, stored);
    this.writing.catch(() => undefined);
  }

  /** Reports a new row if it needs a column that the file lacks. */
  private refuseNew({ line, key }: CheckedRow): void {
    for (const { name, neededByNewRows } of this.absent)
      if (neededByNewRows)
        this.report(
          line,
          name,
          `${quoted(key)} is not stored yet, and the file lacks this column; add it, because ${neededByNewRows}`,
        );
  }

  private async checkReferences(column: FieldDeclaration, rows: readonly CheckedRow[]): Promise<void> {
    const parent = this.source.table.references[column.name];
    if (!parent) return;
    const position = this.source.columns.indexOf(column);
    const references = rows.map(({ values }) => values[position]).filter((value) => value !== null);
    const unknown = await this.context.known.unknown(parent, new Set(references.map(String)));
    if (!unknown.size) return;
    for (const { line, block, values } of rows)
      if (unknown.has(String(values[position])))
        this.report(
          line,
          this.source.label(column, block),
          this.context.known.problem(parent, String(values[position])),
        );
  }
}

/** Runs `work` on a source and reports a `SourceFault`. @returns the result; false after a fault */
async function reportingFault<T>(
  { file, table }: TableSource,
  { problems, known }: ImportContext,
  work: () => Promise<T>,
): Promise<T | false> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof SourceFault)) throw error;
    problems.add(file, error.line, error.column, error.message);
    known.markUnreadable(table);
    return false;
  }
}

function isEmpty(cell: string | CellError): boolean {
  return typeof cell === 'string' && cell.trim() === '';
}
