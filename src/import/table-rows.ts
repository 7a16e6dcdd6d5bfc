import { setImmediate } from 'node:timers/promises';
import type { SqlPart, WriteSession } from '../database/engine.js';
import type { Row } from '../database/query.js';
import type { FieldDeclaration } from '../resource/field.decorator.js';
import { type RowValues, storedValue } from './cell.js';
import type { ContentChanges } from './content-changes.js';
import type { ImportTable } from './import-tables.js';
import { keyRanges } from './key-ranges.js';
import { keyText } from './key-text.js';

/** Ranges are read only if they contain at most this many rows for each row of the file. */
const MOST_ROWS_PER_KEY = 2;

/** Reads, writes and removes rows of one table by their keys. */
export class TableRows {
  private readonly names: readonly string[];
  private readonly keyPositions: readonly number[];
  /**
   * Whether ranges contained too many rows, for example because the rows of the file are in no order. The other batches
   * are then probably the same, so no further range is read.
   */
  private scattered = false;

  /** @param columns the columns that are read and written, including the whole key. Other columns stay unchanged. */
  constructor(
    private readonly session: WriteSession,
    private readonly table: ImportTable,
    private readonly columns: readonly FieldDeclaration[],
    private readonly changes: ContentChanges,
  ) {
    this.names = columns.map(({ name }) => name);
    this.keyPositions = table.key.map((name) => this.names.indexOf(name));
  }

  async isEmpty(): Promise<boolean> {
    return (await this.session.query(`SELECT 1 FROM ${this.table.name} LIMIT 1`)).length === 0;
  }

  keyOf(values: RowValues): string {
    return keyText(this.keyPositions.map((position) => values[position]));
  }

  /** The stored rows with the keys of the given rows, and maybe others, by key. */
  async stored(rows: readonly RowValues[]): Promise<Map<string, RowValues>> {
    const keys = rows.map((values) => this.keyPositions.map((position) => values[position]!));
    const inRanges = this.byKey(await this.inRanges(keys));
    // Searches for the others by name. So a database that orders texts in another way only makes this slower.
    const others = keys.filter((key) => !inRanges.has(keyText(key)));
    if (!others.length) return inRanges;
    const named = this.byKey(await this.select(this.session.rowIn(this.table.key, others)));
    return new Map([...inRanges, ...named]);
  }

  /** Reads ranges that contain the keys, and maybe others. @returns no rows if no range fits, or if it has too many rows */
  private async inRanges(keys: readonly RowValues[]): Promise<Row[]> {
    if (this.scattered) return [];
    const ranges = keyRanges(
      this.keyPositions.map((position) => this.columns[position]!),
      keys,
    );
    if (!ranges) return [];
    const most = keys.length * MOST_ROWS_PER_KEY;
    const found = await this.select(ranges, `LIMIT ${most + 1}`);
    this.scattered = found.length > most;
    return this.scattered ? [] : found;
  }

  private byKey(rows: readonly Row[]): Map<string, RowValues> {
    const values = rows.map((row) => this.columns.map((column) => storedValue(row[column.name], column)));
    return new Map(values.map((row) => [this.keyOf(row), row]));
  }

  private select({ sql, parameters }: SqlPart, limit = ''): Promise<Row[]> {
    const select = `SELECT ${this.names.join()} FROM ${this.table.name} WHERE ${sql} ${limit}`;
    return this.session.query(select, parameters);
  }

  /**
   * Adds rows, or overwrites stored rows of the same key.
   * @param stored rows as they were, by key; undefined: the table was empty, so rows are only added, which is faster
   */
  async upsert(rows: readonly RowValues[], stored: ReadonlyMap<string, RowValues> | undefined): Promise<void> {
    const { query, values, upsertClause } = this.session;
    const { sql, parameters } = values(rows);
    const clause = stored ? upsertClause(this.table.key, this.names) : '';
    await Promise.all([
      query(`INSERT INTO ${this.table.name} (${this.names.join()}) VALUES ${sql}${clause}`, parameters),
      // This takes CPU time, so the statement is sent first.
      setImmediate().then(() =>
        this.changes.noteWritten(this.table, this.names, rows, (row) => stored?.get(this.keyOf(row))),
      ),
    ]);
  }

  /** Removes rows. @param keys for each row, the values of its key columns */
  async remove(keys: readonly RowValues[]): Promise<void> {
    const { sql, parameters } = this.session.rowIn(this.table.key, keys);
    await this.session.query(`DELETE FROM ${this.table.name} WHERE ${sql}`, parameters);
    await this.changes.noteRemoved(this.table, keys);
  }
}

/** Whether two rows have the same values. */
export function sameValues(one: RowValues, other: RowValues): boolean {
  return one.every((value, index) => value === other[index]);
}
