import { setImmediate } from 'node:timers/promises';
import type { WriteSession } from '../database/engine.js';
import type { FieldDeclaration } from '../resource/field.decorator.js';
import { type RowValues, storedValue } from './cell.js';
import type { ContentChanges } from './content-changes.js';
import type { ImportTable } from './import-tables.js';

/** Joins the key of a row into one text. The separator is NUL, which no value contains. */
export function keyText(values: readonly unknown[]): string {
  return values.join('\0');
}

/** Reads, writes and removes rows of one table by their keys. Each call runs one statement. */
export class TableRows {
  private readonly names: readonly string[];
  private readonly keyPositions: readonly number[];

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

  /** The stored rows with the keys of the given rows, by key. */
  async stored(rows: readonly RowValues[]): Promise<Map<string, RowValues>> {
    const keys = rows.map((values) => this.keyPositions.map((position) => values[position]));
    const { sql, parameters } = this.session.rowIn(this.table.key, keys);
    const select = `SELECT ${this.names.join()} FROM ${this.table.name} WHERE ${sql}`;
    const found = await this.session.query(select, parameters);
    const values = found.map((row) => this.columns.map((column) => storedValue(row[column.name], column)));
    return new Map(values.map((row) => [this.keyOf(row), row]));
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
