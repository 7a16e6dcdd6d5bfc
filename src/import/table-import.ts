import { setImmediate } from 'node:timers/promises';
import type { WriteSession } from '../database/engine.js';
import type { FieldDeclaration } from '../resource/field.decorator.js';
import { Batches } from './batch.js';
import { CellError, parseCell, type CellValue } from './cell.js';
import type { ContentChanges } from './content-changes.js';
import { quoted } from './excerpt.js';
import { isReferredTo } from './import-tables.js';
import { KeyFaults } from './key-faults.js';
import { KeyIndex } from './key-index.js';
import type { KnownKeys } from './known-keys.js';
import { OnePerGroup } from './one-per-group.js';
import type { ImportGuards } from './import-guards.js';
import type { Problems } from './problems.js';
import type { CheckedRow, RowWatch } from './row-watch.js';
import { SourceFault, type SourceRow, type TableSource } from './source/table-source.js';
import { sameValues, TableRows } from './table-rows.js';

/** What became of the rows of a table, or would become of them. */
export interface RowCounts {
  /** In the file. */
  rows: number;
  added: number;
  changed: number;
  unchanged: number;
  removed: number;
}

/** What the parts of one import share. */
export interface ImportContext {
  session: WriteSession;
  problems: Problems;
  known: KnownKeys;
  changes: ContentChanges;
  guards: ImportGuards;
  /** Rows that are not in the files go. */
  replace: boolean;
  /** Faults of keys that were told of already, see `KeyFaults`. */
  keyFaults: Set<string>;
}

/**
 * Reads the rows of one table from its source, notes what is wrong with them, and writes those that differ from what is
 * stored, as long as nothing is wrong anywhere.
 */
export class TableImport {
  readonly counts: RowCounts = { rows: 0, added: 0, changed: 0, unchanged: 0, removed: 0 };
  /** The keys of the file, each with its line. */
  readonly keys = new KeyIndex();
  /** Which values of the column `replacedWithin` the file names. */
  readonly named = new Set<string>();
  /** Whether rows that are not in the file go. */
  readonly replaces: boolean;
  private readonly rows: TableRows;
  private readonly single?: OnePerGroup;
  /** Columns that the file lacks. Stored rows keep their values. */
  private readonly absent: readonly FieldDeclaration[];
  private readonly watch?: RowWatch;
  private readonly keyFaults: KeyFaults;
  /** Then nothing has to be looked up. */
  private empty = false;

  private constructor(
    readonly source: TableSource,
    private readonly context: ImportContext,
    private readonly onBatch: (rows: number) => void = () => undefined,
  ) {
    this.rows = new TableRows(context.session, source.table, source.columns, context.changes);
    this.single = OnePerGroup.of(source);
    this.absent = source.table.columns.filter(({ name }) => !this.speaksOf(name));
    this.watch = context.guards.watch(source);
    this.keyFaults = new KeyFaults(source);
    this.replaces = context.replace && !source.partial;
    if (isReferredTo(source.table)) context.known.bring(source.table, this.keys, this.replaces);
  }

  /** The names of the columns that the file lacks. */
  get absentColumns(): string[] {
    return this.absent.map(({ name }) => name);
  }

  /** Whether rows of the file have a value, or none, for this column; else they keep the one that is stored. */
  speaksOf(column: string): boolean {
    return this.source.columns.some(({ name }) => name === column);
  }

  /**
   * Prepares the import of a source.
   * @returns undefined if its file has nothing for its table, or cannot be used
   */
  static async begin(
    source: TableSource,
    context: ImportContext,
    onBatch?: (rows: number) => void,
  ): Promise<TableImport | undefined> {
    const { problems } = context;
    const isThere = await untilFault(source, context, async () =>
      source.begin?.((line, column, message) => problems.add(source.file, line, column, message)),
    );
    return isThere === false ? undefined : new TableImport(source, context, onBatch);
  }

  async run(): Promise<void> {
    const { problems, session } = this.context;
    this.empty = await this.rows.isEmpty();
    await untilFault(this.source, this.context, () => this.readAll());
    this.keyFaults.report(problems, this.counts.rows, this.context.keyFaults);
    if (!this.empty && !this.replaces && problems.none) await this.single?.compare(session, this.keys, this.report);
  }

  /** While one batch is being written, the next one is read and checked. */
  private async readAll(): Promise<void> {
    const batches = new Batches(this.context.session.limits, this.source.columns.length);
    let storing = Promise.resolve();
    const next = async (batch: readonly SourceRow[]) => {
      const checked = batch.map((row) => this.check(row));
      await storing;
      this.onBatch((this.counts.rows += batch.length));
      storing = this.store(checked);
      // It is awaited later; until then nobody else looks at how it ends.
      storing.catch(() => undefined);
      // Until then its statement is only promised, not sent.
      await setImmediate();
    };
    try {
      for await (const chunk of this.source.rows(this.report))
        for (const row of chunk) {
          const full = batches.add(row);
          if (full) await next(full);
        }
    } finally {
      await next(batches.take());
      await storing;
    }
  }

  private readonly report = (line: number, column: string, message: string) =>
    this.context.problems.add(this.source.file, line, column, message);

  /** The row's values, null in cells that are wrong. What is wrong is told, so that no row is written any more. */
  private check({ line, cells, block }: SourceRow): CheckedRow {
    const { columns } = this.source;
    const bad = new Set<FieldDeclaration>();
    const values = columns.map((column, index) => {
      try {
        return this.value(cells[index]!, column);
      } catch (error) {
        if (!(error instanceof CellError)) throw error;
        bad.add(column);
        if (column.primary && isEmpty(cells[index]!)) this.keyFaults.noteMissing(column, line);
        else this.report(line, this.source.label(column, block), error.message);
        return null;
      }
    });
    const row = { line, block, key: this.rows.keyOf(values), values };
    const isNew = ![...bad].some(({ primary }) => primary) && this.noteKey(row);
    if (isNew && !bad.size) this.note(row);
    return row;
  }

  /** A row that is wrong elsewhere still exists for those that refer to it: one problem a fault. */
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
    this.single?.note(values, line, this.report);
    const { table, columns } = this.source;
    const position = columns.findIndex(({ name }) => name === table.replacedWithin);
    if (position >= 0) this.named.add(String(values[position]));
  }

  private async store(rows: readonly CheckedRow[]): Promise<void> {
    for (const column of this.source.columns) await this.checkReferences(column, rows);
    if (!this.context.problems.none || this.keyFaults.any || !rows.length) return;
    const stored = this.empty ? undefined : await this.rows.stored(rows.map(({ values }) => values));
    await this.watch?.see(rows, stored);
    const fresh = rows.filter(({ key }) => !stored?.has(key));
    if (fresh[0]) this.refuseNew(fresh[0]);
    const changed = rows.filter(({ key, values }) => stored?.has(key) && !sameValues(values, stored.get(key)!));
    this.counts.added += fresh.length;
    this.counts.changed += changed.length;
    this.counts.unchanged += rows.length - fresh.length - changed.length;
    const written = [...fresh, ...changed].map(({ values }) => values);
    for (const values of written) this.single?.noteWritten(values);
    if (written.length && this.context.problems.none) await this.rows.upsert(written, stored);
  }

  /** Complains of a new row if it needs a column that the file lacks. */
  private refuseNew({ line, key }: CheckedRow): void {
    for (const { name, neededByNewRows } of this.absent)
      if (neededByNewRows)
        this.report(
          line,
          name,
          `${quoted(key)} is not stored yet, and the column is absent; add it, because ${neededByNewRows}`,
        );
  }

  private async checkReferences(column: FieldDeclaration, rows: readonly CheckedRow[]): Promise<void> {
    const parent = this.source.table.references[column.name];
    if (!parent) return;
    const position = this.source.columns.indexOf(column);
    const named = rows.map(({ values }) => values[position]).filter((value) => value !== null);
    const unknown = await this.context.known.unknown(parent, new Set(named.map(String)));
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

/** Does work on a source. @returns false after a fault, which is noted */
async function untilFault<T>(
  { file, table }: TableSource,
  { problems, known }: ImportContext,
  work: () => Promise<T>,
): Promise<T | false> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof SourceFault)) throw error;
    problems.add(file, error.line, error.column, error.message);
    known.giveUp(table);
    return false;
  }
}

function isEmpty(cell: string | CellError): boolean {
  return typeof cell === 'string' && cell.trim() === '';
}
