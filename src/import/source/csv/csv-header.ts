import { type FieldDeclaration, isRequired } from '../../../resource/field.decorator.js';
import { excerpt, quoted } from '../../excerpt.js';
import { didYouMean } from '../did-you-mean.js';
import type { CsvRecord } from './record-parser.js';
import { type ReportProblem, SourceFault } from '../table-source.js';

/** A fault of a header; `column` is '' if the fault concerns the whole header. */
interface HeaderFault {
  column: string;
  message: string;
}

/** An unknown column with such a character suggests that the file was read with the wrong delimiter. */
const SEPARATOR = /[,;\t|]/;

/** Limits the number of problems, because each unknown column is a problem. No system exports more columns. */
const MAX_COLUMNS = 2000;

/** @throws {SourceFault} if a header has more than 2000 cells */
export function refuseTooWide({ line, cells }: CsvRecord): void {
  if (cells.length > MAX_COLUMNS)
    throw new SourceFault(
      line,
      `the header has ${cells.length} cells, ${MAX_COLUMNS} is the maximum; check that this line is the header`,
    );
}

/** The header of an import file: column names in any order and case. Columns that are not required may be absent. */
export class CsvHeader {
  /** The columns that the file has, in the order of the table. */
  readonly columns: readonly FieldDeclaration[];
  private readonly headers: readonly string[];
  private readonly names: readonly string[];

  /** @throws {SourceFault} with the last fault of the header, after `report` has received the others */
  constructor(
    record: CsvRecord,
    private readonly all: readonly FieldDeclaration[],
    report: ReportProblem,
  ) {
    refuseTooWide(record);
    this.headers = record.cells.map((cell) => cell.trim());
    this.names = this.headers.map(plain);
    this.columns = all.filter((column) => this.position(column) >= 0);
    const faults = this.faults();
    const last = faults.pop();
    for (const { column, message } of faults) report(record.line, column, message);
    if (last) throw new SourceFault(record.line, last.message, last.column);
  }

  get width(): number {
    return this.headers.length;
  }

  /** Returns the file's spelling of a column. */
  spelling(column: FieldDeclaration): string {
    return this.headers[this.position(column)] ?? column.name;
  }

  position({ name }: FieldDeclaration): number {
    return this.names.indexOf(plain(name));
  }

  private faults(): HeaderFault[] {
    const absent = this.all.filter((column) => this.position(column) < 0);
    const known = new Set(this.all.map(({ name }) => plain(name)));
    const [first = ''] = this.headers;
    if (this.width === 1 && !known.has(plain(first)))
      return [{ column: '', message: `the header is one cell, ${quoted(first)}; name the delimiter with --delimiter` }];
    const unknown = this.headers.flatMap((header, index) =>
      known.has(plain(header)) ? [] : unknownHeader(header, index, absent),
    );
    const missing = absent.filter(isRequired).map(({ name }) => ({ column: name, message: 'missing column' }));
    return [...unknown, ...missing, ...this.clashes(known)];
  }

  private clashes(known: ReadonlySet<string>): HeaderFault[] {
    return this.headers.flatMap((header, index) => {
      const earlier = this.names.indexOf(plain(header));
      if (earlier === index || !known.has(plain(header))) return [];
      const spelling = this.headers[earlier]!;
      const other = spelling === header ? '' : ` (also spelt ${spelling})`;
      return [{ column: header, message: `repeated column${other}; remove one` }];
    });
  }
}

/** Returns the message for a record whose number of cells differs from that of the header. */
export function widthFault(cells: number, width: number): string {
  const found = cells === 1 ? '1 cell' : `${cells} cells`;
  return `${found}, but the header has ${width}; check the separators and quotes`;
}

/** Headers match regardless of case. */
function plain(header: string): string {
  return header.toLowerCase();
}

function unknownHeader(header: string, index: number, absent: readonly FieldDeclaration[]): HeaderFault {
  if (!header) return { column: '', message: `cell ${index + 1} of the header is empty, but must name a column` };
  const names = absent.map(({ name }) => name);
  const advice = SEPARATOR.test(header) ? '; name the delimiter with --delimiter' : didYouMean(header, names);
  return { column: excerpt(header), message: `unknown column${advice}` };
}
