import type { RowValues } from './cell.js';

/** A row of a file whose cells were checked. */
export interface CheckedRow {
  line: number;
  /** Block of the column map, see `SourceRow`. */
  block?: number;
  key: string;
  values: RowValues;
}

/** Compares the rows of one table's file with the stored rows. */
export interface RowWatch {
  /**
   * Called before a batch is written.
   * @param stored the stored rows of these keys, and maybe others, by key; undefined: the table is empty
   */
  observe(rows: readonly CheckedRow[], stored: ReadonlyMap<string, RowValues> | undefined): Promise<void> | void;
}
