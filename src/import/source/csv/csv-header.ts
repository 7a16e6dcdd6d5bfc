import { excerpt, quoted } from '../../excerpt.js';
import { didYouMean } from '../did-you-mean.js';
import type { CsvRecord } from './record-parser.js';
import { SourceFault } from '../table-source.js';

/** What is wrong with a column of a header; `column` is '' where it is about all of it. */
export interface HeaderFault {
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

/** All in which the headers of a file are not exactly these columns, in any order. */
export function headerFaults(headers: readonly string[], columns: readonly string[]): HeaderFault[] {
  const [first = ''] = headers;
  if (headers.length === 1 && !columns.includes(first))
    return [{ column: '', message: `the header is one cell, ${quoted(first)}; --delimiter says what separates cells` }];
  const missing = columns.filter((name) => !headers.includes(name));
  return [
    ...headers.flatMap((header, index) => (columns.includes(header) ? [] : unknownHeader(header, index, missing))),
    ...missing.map((column) => ({ column, message: 'missing column' })),
    ...columns
      .filter((name) => headers.indexOf(name) !== headers.lastIndexOf(name))
      .map((column) => ({ column, message: 'repeated column' })),
  ];
}

/** What is wrong with a record of so many cells, which is not as wide as the header. */
export function widthFault(cells: number, width: number): string {
  const found = cells === 1 ? '1 cell' : `${cells} cells`;
  return `${found} where the header has ${width}; is a separator or a quote amiss?`;
}

function unknownHeader(header: string, index: number, missing: readonly string[]): HeaderFault {
  if (!header) return { column: '', message: `cell ${index + 1} of the header is empty, and has to name a column` };
  const advice = SEPARATOR.test(header) ? '; --delimiter says what separates cells' : didYouMean(header, missing);
  return { column: excerpt(header), message: `unknown column${advice}` };
}
