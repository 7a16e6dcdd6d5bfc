import type { FieldDeclaration } from '../../resource/field.decorator.js';
import type { CellError } from '../cell.js';
import type { ImportTable } from '../import-tables.js';

/** One row that a file gives for a table. */
export interface SourceRow {
  /** The line of the file that it starts on, from 1. */
  line: number;
  /** The text of each cell, in the order of the source's columns; '' is no value. Or what is wrong with it. */
  cells: readonly (string | CellError)[];
  /** Which of several blocks of a map made it. */
  block?: number;
}

/** Tells of a fault of the file. `column` as the file names it; '' where it is about the line as a whole. */
export type ReportProblem = (line: number, column: string, message: string) => void;

/**
 * The rows for one table out of one file. Several sources may read the same file, one after the other.
 */
export interface TableSource {
  readonly table: ImportTable;
  /** The file as problems name it: its base name, or `standard input`. */
  readonly file: string;
  /** The columns of the table that the file has, all required ones among them. Final once `begin` is done. */
  readonly columns: readonly FieldDeclaration[];
  /** The source speaks for its own rows only: `--replace` removes no others. */
  readonly partial?: boolean;

  /**
   * Reads as much of the file as shows which columns it has. Sources of one file begin and are read one after the other.
   * @returns false if the file has nothing for this table, which then stays as it is
   * @throws {SourceFault} where the file cannot be used
   */
  begin?(report: ReportProblem): Promise<boolean>;

  /** How the file names a column, for problems. @param block of the row, see `SourceRow` */
  label(column: FieldDeclaration, block?: number): string;

  /** The headers that a column comes from, as the map of the file calls them; none for a constant. */
  origin?(column: FieldDeclaration): readonly string[];

  /**
   * Reads the file once, from its beginning. Rows that cannot be made are told to `report` and left out.
   * @throws {SourceFault} where the file cannot be read on; the rows before that are still yielded
   */
  rows(report: ReportProblem): AsyncIterable<SourceRow[]>;
}

/** The file cannot be read from `line` on, or not used at all. */
export class SourceFault extends Error {
  constructor(
    readonly line: number,
    message: string,
    /** As the file names it; '' where the fault is of no one column. */
    readonly column = '',
  ) {
    super(message);
  }
}

/** How a text file is read. */
export interface ReadingOptions {
  /** As iconv-lite names it. */
  encoding: string;
  /** One character. Undefined: found out from the header. */
  delimiter?: string;
  /** Whether numbers have a comma before their decimals; then none may have a point. */
  decimalComma: boolean;
  /** The line that the header is on; what stands before it is not read. */
  firstLine?: number;
}
