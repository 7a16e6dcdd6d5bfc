import { columnsOf, type Field } from '../resource/field.decorator.js';
import { CellError, parseCell, type CellValue } from './cell.js';
import { CsvFault, type CsvRecord, readCsv } from './csv-reader.js';
import type { ImportFile } from './import-files.js';
import type { KnownKeys } from './known-keys.js';
import type { Problems } from './problems.js';
import type { Upsert } from './upsert.js';

/** Reads one file, notes what is wrong with it, and hands its rows on to be written as long as nothing is. */
export class FileImport {
  private readonly columns: readonly Field[];
  /** For each column of the entity, the position of its cell. */
  private positions: number[] = [];
  private width = 0;
  private readonly seen = new Map<string, number>();
  private readonly referenced = new Map<string, ReadonlySet<string>>();
  /** The keys of this entity, where others refer to it by a single key. */
  private own?: Set<string>;

  constructor(
    private readonly file: ImportFile,
    private readonly problems: Problems,
  ) {
    this.columns = columnsOf(file.entity);
  }

  /** @returns how many rows the file holds */
  async run(path: string, known: KnownKeys, upsert: Upsert): Promise<number> {
    for (const [column, entity] of Object.entries(this.file.references))
      if (known.complete(entity)) this.referenced.set(column, await known.of(entity));
    if (this.columns.filter(({ primary }) => primary).length === 1) this.own = await known.of(this.file.entity);
    try {
      const count = await this.readRows(path, upsert);
      if (this.problems.none) await upsert.flush();
      return count;
    } catch (error) {
      if (!(error instanceof CsvFault)) throw error;
      this.problems.add(this.file.name, error.line, error.message);
      known.giveUp(this.file.entity);
      return 0;
    }
  }

  private async readRows(path: string, upsert: Upsert): Promise<number> {
    let count = 0;
    for await (const record of readCsv(path)) {
      if (!this.width) {
        this.readHeader(record);
        continue;
      }
      count++;
      const row = this.readRow(record);
      if (row && this.problems.none) await upsert.add(row);
    }
    if (!this.width) throw new CsvFault(1, 'the file is empty; its first line has to name the columns');
    return count;
  }

  private readHeader({ cells, line }: CsvRecord): void {
    const headers = cells.map((cell) => cell.trim());
    const names = this.columns.map(({ name }) => name);
    const complaints = [
      ...headers.filter((header) => !names.includes(header)).map((header) => `unknown column "${header}"`),
      ...names.filter((name) => !headers.includes(name)).map((name) => `missing column ${name}`),
      ...names
        .filter((name) => headers.indexOf(name) !== headers.lastIndexOf(name))
        .map((name) => `repeated column ${name}`),
    ];
    if (complaints.length)
      throw new CsvFault(line, `${complaints.join(', ')}; the columns are, separated by commas: ${names.join(',')}`);
    this.width = headers.length;
    this.positions = names.map((name) => headers.indexOf(name));
  }

  /** The row's values, or undefined where something is wrong with it. */
  private readRow({ cells, line }: CsvRecord): CellValue[] | undefined {
    const complain = (message: string) => void this.problems.add(this.file.name, line, message);
    if (cells.length !== this.width)
      return complain(`${cells.length} cells where the first line has ${this.width}; is a separator or a quote amiss?`);
    const bad = new Set<Field>();
    const row = this.columns.map((column, index) => {
      try {
        return this.readCell(cells[this.positions[index]!]!, column);
      } catch (error) {
        if (!(error instanceof CellError)) throw error;
        bad.add(column);
        complain(`${column.name} ${error.message}`);
        return null;
      }
    });
    if ([...bad].some(({ primary }) => primary)) return undefined;
    // A row that is wrong elsewhere still exists for those that refer to it: one complaint a fault.
    this.own?.add(String(row[0]));
    const earlier = this.earlierLine(row, line);
    if (earlier) complain(`the same key as on line ${earlier}`);
    return bad.size || earlier ? undefined : row;
  }

  private readCell(text: string, column: Field): CellValue {
    const value = parseCell(text, column);
    const known = this.referenced.get(column.name);
    if (known && value !== null && !known.has(String(value)))
      throw new CellError(`"${value}" is unknown: it is neither stored nor in the files`);
    return value;
  }

  /** The line that has this row's key already, if any. */
  private earlierLine(row: CellValue[], line: number): number | undefined {
    const key = JSON.stringify(row.filter((_, index) => this.columns[index]!.primary));
    const earlier = this.seen.get(key);
    if (earlier === undefined) this.seen.set(key, line);
    return earlier;
  }
}
