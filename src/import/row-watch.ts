import type { RowValues } from './table-rows.js';

/** A row of a file whose cells are right. */
export interface CheckedRow {
  line: number;
  /** Of the map, see `SourceRow`. */
  block?: number;
  key: string;
  values: RowValues;
}

/** Compares the rows of one table's file with what is stored. */
export interface RowWatch {
  /** Sees a batch before it is written. @param stored the stored rows of the same keys; undefined: the table is empty */
  see(rows: readonly CheckedRow[], stored: ReadonlyMap<string, RowValues> | undefined): Promise<void> | void;
}
