import type { FieldDeclaration } from '../../resource/field.decorator.js';
import type { CellError } from '../cell.js';
import type { ImportTable } from '../import-tables.js';

/** One row that a file gives for a table. */
export interface SourceRow {
  /** The number of its first line in the file, counted from 1. */
  line: number;
  /** For each column of the source, in its order, the text of the cell ('' is no value) or the error that it has. */
  cells: readonly (string | CellError)[];
  /** The index of the column map's block that made the row, if the table has several. */
  block?: number;
}

/** Reports a fault of the file. `column` is the name in the file, or '' if the fault concerns the whole line. */
export type ReportProblem = (line: number, column: string, message: string) => void;

/** The rows of one file for one table. Several sources may read the same file, one after the other. */
export interface TableSource {
  readonly table: ImportTable;
  /** The name of the file in problems: its base name, or `standard input`. */
  readonly file: string;
  /** The columns of the table that the file has, including all required ones. Final once `begin` has returned. */
  readonly columns: readonly FieldDeclaration[];
  /** If true, the source covers only the rows that it yields: `--replace` removes no other rows. */
  readonly partial?: boolean;

  /**
   * Reads the file far enough to know its columns. The sources of one file begin and are read one after the other.
   * @returns false if the file has nothing for this table, which then stays unchanged
   * @throws {SourceFault} if the file cannot be used
   */
  begin?(report: ReportProblem): Promise<boolean>;

  /** Returns the name of a column in the file, for problems. @param block of the row, see `SourceRow` */
  label(column: FieldDeclaration, block?: number): string;

  /** Returns the headers that a column is read from, spelt as in the column map; none for a constant. */
  origin?(column: FieldDeclaration): readonly string[];

  /** The names of all tables of the column map whose key comes from this header of the same row. */
  tablesWithKey?(header: string): readonly string[];

  /**
   * Reads the file once, from its beginning. It reports and skips rows that cannot be made.
   * @throws {SourceFault} at the line where reading cannot continue; the rows before it are still yielded
   */
  rows(report: ReportProblem): AsyncIterable<SourceRow[]>;
}

/** The file cannot be read beyond `line`, or cannot be used at all. Line 0 represents the whole file. */
export class SourceFault extends Error {
  constructor(
    readonly line: number,
    message: string,
    /** The name in the file; '' if the fault does not concern a single column. */
    readonly column = '',
  ) {
    super(message);
  }
}

/** How to read a text file. */
export interface ReadingOptions {
  /** A name that iconv-lite knows. */
  encoding: string;
  /** One character. If undefined, it is detected in the header. */
  delimiter?: string;
  /** Whether numbers have a comma before their decimals; a point is then an error. */
  decimalComma: boolean;
  /** The line number of the header, counted from 1. The lines before it are not read. */
  firstLine?: number;
}
