import { type FieldDeclaration, isRequired } from '../../../resource/field.decorator.js';
import { excerpt, quoted } from '../../excerpt.js';
import { didYouMean } from '../did-you-mean.js';
import type { CsvRecord } from './record-parser.js';
import { type ReportProblem, SourceFault } from '../table-source.js';

/** What is wrong with a column of a header; `column` is '' where it is about all of it. */
interface HeaderFault {
  column: string;
  message: string;
}

/** What separates cells in files that are read with another delimiter. */
const SEPARATOR = /[,;\t|]/;

/** No system has more columns, and each one that is unknown would be a problem. */
const MOST_COLUMNS = 2000;

/** @throws {SourceFault} if a header has more cells than any table */
export function refuseTooWide({ line, cells }: CsvRecord): void {
  if (cells.length > MOST_COLUMNS)
    throw new SourceFault(line, `the header has ${cells.length} cells, ${MOST_COLUMNS} is the most; is it the header?`);
}

/** The header of an import file: names of columns in any order and any case. Those that are not required may be absent. */
export class CsvHeader {
  /** The columns that the file has, in the order of the table. */
  readonly columns: readonly FieldDeclaration[];
  private readonly headers: readonly string[];
  private readonly names: readonly string[];

  /**
   * @throws {SourceFault} the last thing that is wrong with the header; `report` is told the others
   */
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

  /** How the file spells a column. */
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
      return [
        { column: '', message: `the header is one cell, ${quoted(first)}; --delimiter says what separates cells` },
      ];
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
      const other = spelling === header ? '' : `, which is also spelt ${spelling}`;
      return [{ column: header, message: `repeated column${other}; remove one` }];
    });
  }
}

/** What is wrong with a record of so many cells, which is not as wide as the header. */
export function widthFault(cells: number, width: number): string {
  const found = cells === 1 ? '1 cell' : `${cells} cells`;
  return `${found} where the header has ${width}; is a separator or a quote amiss?`;
}

/** Capitals do not matter in a header. */
function plain(header: string): string {
  return header.toLowerCase();
}

function unknownHeader(header: string, index: number, absent: readonly FieldDeclaration[]): HeaderFault {
  if (!header) return { column: '', message: `cell ${index + 1} of the header is empty, and has to name a column` };
  const names = absent.map(({ name }) => name);
  const advice = SEPARATOR.test(header) ? '; --delimiter says what separates cells' : didYouMean(header, names);
  return { column: excerpt(header), message: `unknown column${advice}` };
}
