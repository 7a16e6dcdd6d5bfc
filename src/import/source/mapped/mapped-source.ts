import type { Field } from '../../../resource/field.decorator.js';
import type { ImportTable } from '../../import-tables.js';
import { excerpt } from '../../excerpt.js';
import { refuseTooWide, widthFault } from '../csv/csv-header.js';
import { readCsv } from '../csv/csv-records.js';
import { ForeignHeader } from './foreign-header.js';
import type { InputFile } from '../input-file.js';
import { MappedRows } from './mapped-rows.js';
import { valueHeadersOf } from '../map/mapping-rule.js';
import { type Mapping, type TableMapping, usesOfHeaders } from '../map/mapping.js';
import type { CsvRecord } from '../csv/record-parser.js';
import { type Complain, type ReadingOptions, SourceFault, type SourceRow, type TableSource } from '../table-source.js';

/** So many headers that the map does not use are named. */
const LISTED = 20;

/** A map may make much longer texts than it reads: the rows of this many records are in memory at once. */
const PORTION = 100;

/** What a file of another system gives, read by a map. */
export interface MappedFile {
  /** One for each table of the map. */
  readonly sources: readonly TableSource[];
  /** What the sources passed over on purpose when they were read, a line each. */
  notes(): string[];
}

/** Reads a CSV file of another system as a map says. */
export function mappedSources(file: InputFile, mapping: Mapping, options: ReadingOptions): MappedFile {
  const header = new ForeignHeader(mapping);
  const badLines = new Set<number>();
  const sources = mapping.tables.map((table) => new MappedSource(file, table, header, options, badLines));
  const notes = () => [...passedOver(sources), ...unused(header)].map((note) => `${file.name}: ${note}`);
  return { sources, notes };
}

function passedOver(sources: readonly MappedSource[]): string[] {
  const tables = new Map<number, string[]>();
  for (const { table, passedOver: count } of sources) tables.set(count, [...(tables.get(count) ?? []), table.name]);
  tables.delete(0);
  return [...tables].map(([count, names]) => `${count} row(s) passed over, as the map says, for ${names.join(', ')}`);
}

function unused(header: ForeignHeader): string[] {
  const headers = header.unused();
  if (!headers.length) return [];
  const more = headers.length > LISTED ? `, … and ${headers.length - LISTED} more` : '';
  return [`headers that the map does not use: ${headers.slice(0, LISTED).map(excerpt).join(', ')}${more}`];
}

class MappedSource implements TableSource {
  readonly table: ImportTable;
  readonly file: string;
  readonly columns: readonly Field[];
  /** One row of constants says nothing of others. */
  readonly partial: boolean;
  private readonly headers: ReadonlySet<string>;
  /** How many rows of the file the map kept out, in the latest reading. */
  passedOver = 0;

  /** @param badLines lines that were complained of already: they are wrong for every table of the file */
  constructor(
    private readonly input: InputFile,
    private readonly mapping: TableMapping,
    private readonly header: ForeignHeader,
    private readonly options: ReadingOptions,
    private readonly badLines: Set<number>,
  ) {
    this.table = mapping.table;
    this.file = input.name;
    this.columns = mapping.columns.map(({ column }) => column);
    this.headers = new Set(usesOfHeaders(mapping).keys());
    this.partial = !this.headers.size;
  }

  label(column: Field): string {
    const rule = this.mapping.columns.find((mapped) => mapped.column === column)?.rule;
    const headers = new Set(rule ? valueHeadersOf(rule) : []);
    const spellings = [...headers].map((header) => this.header.spelling(header));
    return `${spellings.join(', ') || 'constant'} (${this.table.name}.${column.name})`;
  }

  async *rows(complain: Complain): AsyncGenerator<SourceRow[]> {
    if (!this.headers.size) {
      yield this.mapped(complain).of({ line: 1, cells: [] });
      return;
    }
    let rows: MappedRows | undefined;
    for await (const chunk of readCsv(this.input.bytes(), this.options)) {
      const records = rows ? chunk : chunk.slice(1);
      rows ??= this.open(chunk[0]!, complain);
      for (let start = 0; start < records.length; start += PORTION) {
        const portion = records.slice(start, start + PORTION).filter((record) => this.fits(record, complain));
        const made = portion.flatMap((record) => rows!.of(record));
        this.passedOver = rows.passedOver;
        if (made.length) yield made;
      }
    }
    if (!rows) throw new SourceFault(1, 'the file is empty; its first line has to name the columns');
  }

  private open(record: CsvRecord, complain: Complain): MappedRows {
    refuseTooWide(record);
    this.header.read(record.cells, record.line, this.headers, complain);
    return this.mapped(complain);
  }

  private mapped(complain: Complain): MappedRows {
    return new MappedRows(
      this.mapping,
      (header) => this.header.position(header),
      this.options.decimalComma,
      (line, column, message) => complain(line, this.label(column), message),
    );
  }

  private fits({ cells, line }: CsvRecord, complain: Complain): boolean {
    const { width } = this.header;
    if (cells.length === width) return true;
    if (!this.badLines.has(line)) complain(line, '', widthFault(cells.length, width));
    this.badLines.add(line);
    return false;
  }
}
