import type { Field } from '../../../resource/field.decorator.js';
import { isNumber } from '../../cell.js';
import type { ImportTable } from '../../import-tables.js';
import { headerFaults, refuseTooWide, widthFault } from './csv-header.js';
import { readCsv } from './csv-records.js';
import { pointCell } from './decimal-comma.js';
import type { InputFile } from '../input-file.js';
import type { CsvRecord } from './record-parser.js';
import { type Complain, type ReadingOptions, SourceFault, type SourceRow, type TableSource } from '../table-source.js';

/** The rows of an import file: a CSV file whose header names the table's columns, all of them, in any order. */
export function csvSource(file: InputFile, table: ImportTable, options: ReadingOptions): TableSource {
  const { columns } = table;
  return {
    table,
    file: file.name,
    columns,
    label: ({ name }) => name,
    async *rows(complain) {
      let readRow: RowReader | undefined;
      for await (const records of readCsv(file.bytes(), options)) {
        readRow ??= rowReader(readHeader(records.shift()!, columns, complain), columns, options, complain);
        yield records.flatMap(readRow);
      }
      if (!readRow) throw new SourceFault(1, 'the file is empty; its first line has to name the columns');
    },
  };
}

/**
 * The names of the columns, in the order of the file.
 * @throws {SourceFault} the last thing that is wrong with them; `complain` is told the others
 */
function readHeader(record: CsvRecord, columns: readonly Field[], complain: Complain): string[] {
  refuseTooWide(record);
  const { line, cells } = record;
  const headers = cells.map((cell) => cell.trim());
  const names = columns.map(({ name }) => name);
  const faults = headerFaults(headers, names);
  const last = faults.pop();
  for (const { column, message } of faults) complain(line, column, message);
  if (last) throw new SourceFault(line, last.message, last.column);
  return headers;
}

/** The row that a record is, or none after a complaint. */
type RowReader = (record: CsvRecord) => SourceRow | [];

function rowReader(
  headers: readonly string[],
  columns: readonly Field[],
  { decimalComma }: ReadingOptions,
  complain: Complain,
): RowReader {
  const picks = columns.map((column) => ({
    position: headers.indexOf(column.name),
    comma: decimalComma && isNumber(column),
  }));
  return ({ line, cells }) => {
    if (cells.length === headers.length)
      return { line, cells: picks.map(({ position, comma }) => (comma ? pointCell : String)(cells[position]!)) };
    complain(line, '', widthFault(cells.length, headers.length));
    return [];
  };
}
