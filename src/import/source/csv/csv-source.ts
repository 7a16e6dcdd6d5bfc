import type { FieldDeclaration } from '../../../resource/field.decorator.js';
import { isNumber } from '../../cell.js';
import type { ImportTable } from '../../import-tables.js';
import { CsvHeader, widthFault } from './csv-header.js';
import { readCsv } from './csv-records.js';
import { commaToPointCell } from './decimal-comma.js';
import type { InputFile } from '../input-file.js';
import type { CsvRecord } from './record-parser.js';
import {
  type ReportProblem,
  type ReadingOptions,
  SourceFault,
  type SourceRow,
  type TableSource,
} from '../table-source.js';

/** Returns the row of a record, or [] after it has reported a problem. */
type RowReader = (record: CsvRecord) => SourceRow | [];

/** The rows of an import file: a CSV file whose header names columns of the table. */
export class CsvSource implements TableSource {
  readonly file: string;
  private header?: CsvHeader;

  constructor(
    private readonly input: InputFile,
    readonly table: ImportTable,
    private readonly options: ReadingOptions,
  ) {
    this.file = input.name;
  }

  get columns(): readonly FieldDeclaration[] {
    return this.header?.columns ?? this.table.columns;
  }

  label(column: FieldDeclaration): string {
    return this.header?.spelling(column) ?? column.name;
  }

  async begin(report: ReportProblem): Promise<boolean> {
    for await (const [record] of this.records()) {
      this.header = new CsvHeader(record!, this.table.columns, report);
      return true;
    }
    throw new SourceFault(1, 'the file is empty; its first line must name the columns');
  }

  async *rows(report: ReportProblem): AsyncGenerator<SourceRow[]> {
    const readRow = this.rowReader(report);
    let isFirst = true;
    for await (const records of this.records()) {
      yield (isFirst ? records.slice(1) : records).flatMap(readRow);
      isFirst = false;
    }
  }

  private records(): AsyncGenerator<CsvRecord[]> {
    return readCsv(this.input.bytes(), this.options);
  }

  private rowReader(report: ReportProblem): RowReader {
    const header = this.header!;
    const picks = header.columns.map((column) => ({
      position: header.position(column),
      read: this.options.decimalComma && isNumber(column) ? commaToPointCell : String,
    }));
    return ({ line, cells }) => {
      if (cells.length === header.width)
        return { line, cells: picks.map(({ position, read }) => read(cells[position]!)) };
      report(line, '', widthFault(cells.length, header.width));
      return [];
    };
  }
}
