import type { PriceChanges } from '../guard/price-tally.js';
import type { Preview } from './preview.js';
import type { RowCounts } from './table-import.js';

/** The effect of an import on a table. For a dry run, the effect that it would have. */
export interface TableSummary extends RowCounts {
  table: string;
  /** The file of the table; null if it has none and rows were removed because the rows they reference were removed. */
  file: string | null;
  /** Columns that the file lacks. Stored rows keep their values, and new rows get null. */
  absentColumns: string[];
}

/** Identifies a file that was read. */
export interface FileSummary {
  name: string;
  /** SHA-256 of the file as stored, before decompression; null if the file was not read to its end. */
  sha256: string | null;
  bytes: number;
}

/** The result of an import. */
export interface ImportSummary {
  /** ID of the record that `import log` shows; null for a dry run. */
  id: string | null;
  dryRun: boolean;
  files: FileSummary[];
  tables: TableSummary[];
  /** How the prices in the file compare with the stored ones; undefined if no file has prices. */
  priceChanges?: PriceChanges;
  /** What customers would see; only for a dry run. */
  preview?: Preview;
  /** Sentences about data in the files that was skipped on purpose. */
  notes: string[];
  seconds: number;
}

/** Progress of an import. */
export interface ImportProgress {
  file: string;
  table: string;
  /** Rows of this table read so far. */
  rows: number;
  /** Bytes of the file read so far. */
  bytes: number;
  /** Size of the file in bytes. */
  size: number;
}
