import { readCsv, CsvFault } from '../csv-reader.js';
import { SourceFault, type TableSource } from './table-source.js';
export function csvSource(file: any, table: any, _o: any): TableSource {
  return {
    table,
    file: file.name,
    columns: table.columns,
    label: (c: any) => c.name,
    async *rows(complain: any) {
      let pos: number[] | undefined;
      try {
        for await (const { line, cells } of readCsv(file.path)) {
          file.position += 100;
          if (!pos) {
            pos = table.columns.map((c: any) => cells.indexOf(c.name));
            continue;
          }
          if (cells.length !== pos!.length) {
            complain(line, '', 'bad width');
            continue;
          }
          yield [{ line, cells: pos!.map((p) => cells[p]!) }];
        }
      } catch (e) {
        if (e instanceof CsvFault) throw new SourceFault(e.line, e.message);
        throw e;
      }
    },
  } as any;
}
