import type { PriceChanges } from '../guard/price-tally.js';
import type { Preview } from './preview.js';
import type { RowCounts } from './table-import.js';

/** What an import did to a table, or would do. */
export interface TableSummary extends RowCounts {
  table: string;
  /** The file that its rows come from; null where rows go because those went that they hung on. */
  file: string | null;
  /** Columns that the file lacks: stored rows keep their values, new rows have none. */
  absentColumns: string[];
}

/** What identifies a file that was read. */
export interface FileSummary {
  name: string;
  /** Of the file as it lies there; null if it was not read to its end. */
  sha256: string | null;
  bytes: number;
}

/** What an import did. */
export interface ImportSummary {
  /** Of its record, see `import log`; null for a dry run. */
  id: string | null;
  dryRun: boolean;
  files: FileSummary[];
  tables: TableSummary[];
  /** How the prices in the file compare with the stored ones; undefined: no file has prices. */
  priceChanges?: PriceChanges;
  /** What customers would see; undefined unless it is a dry run. */
  preview?: Preview;
  /** What was passed over in the files on purpose, in words. */
  notes: string[];
  seconds: number;
}

/** How far an import is. */
export interface ImportProgress {
  file: string;
  table: string;
  /** Read of this table so far. */
  rows: number;
  /** Of the file's bytes, read so far. */
  bytes: number;
  size: number;
}
