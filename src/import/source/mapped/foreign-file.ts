import { refuseTooWide, widthFault } from '../csv/csv-header.js';
import { readCsv } from '../csv/csv-records.js';
import type { CsvRecord } from '../csv/record-parser.js';
import { quoted } from '../../excerpt.js';
import type { InputFile } from '../input-file.js';
import type { Mapping } from '../map/mapping.js';
import { type NumberFormat, present } from '../map/mapping-rule.js';
import { type ReportProblem, type ReadingOptions, SourceFault } from '../table-source.js';
import { ForeignHeader } from './foreign-header.js';
import { Lookups } from './lookups.js';

/** If the expected line is not the header, the import looks for it in this many lines from the first one on. */
const SEARCHED_LINES = 20;

/** Matches the beginning of JSON, but not a CSV header that begins with a bracket and a name. */
const JSON_START = /^\uFEFF?\s*[[{]\s*["[{\]}]/;

/** A CSV file of another system. Several tables are read from it, one after the other. */
export class ForeignFile {
  readonly header: ForeignHeader;
  readonly number: NumberFormat;
  private readonly options: ReadingOptions;
  /** Lines that were already reported: they are wrong for every table of the file. */
  private readonly badLines = new Set<number>();
  private isOpen = false;
  private cachedLookups?: Lookups;

  /** @param reading options of the command, which override the map */
  constructor(
    private readonly input: InputFile,
    private readonly mapping: Mapping,
    reading: Partial<ReadingOptions>,
  ) {
    const { file } = mapping;
    const delimiter = reading.delimiter ?? file.delimiter;
    const encoding = reading.encoding ?? file.encoding ?? 'utf-8';
    this.options = { encoding, delimiter, decimalComma: false, firstLine: file.firstLine };
    this.number = { decimal: '.', ...file.number, ...(reading.decimalComma && { decimal: ',' }) };
    this.header = new ForeignHeader(mapping);
  }

  /** Whether rows were skipped because their width differs from that of the header. */
  get hasBadLines(): boolean {
    return this.badLines.size > 0;
  }

  get name(): string {
    return this.input.name;
  }

  /** Reads the header, once. @throws {SourceFault} if there is none */
  async open(): Promise<void> {
    if (this.isOpen) return;
    const first = await this.firstRecord(this.mapping.file.firstLine).catch(async (fault) => {
      await this.refuseJson();
      throw fault;
    });
    refuseTooWide(first);
    const { names } = this.mapping.file;
    this.header.read(names ? namesOf(names, first) : first.cells, first.line);
    if (!names && !this.header.known) await this.refuseNoHeader(first);
    this.isOpen = true;
  }

  /** Returns the rows that rules look up. The first call reads them. */
  async lookups(): Promise<Lookups> {
    const has = (header: string) => this.header.has(header);
    const columns = this.mapping.tables.flatMap((table) => table.columns);
    const rules = columns.flatMap(({ rule }) => present(rule, has) ?? []);
    this.cachedLookups ??= new Lookups(rules, this.header);
    await this.cachedLookups.read(() => this.records());
    return this.cachedLookups;
  }

  /** Yields the records after the header that have its width. */
  async *records(report?: ReportProblem): AsyncGenerator<CsvRecord[]> {
    let isFirst = !this.mapping.file.names;
    for await (const chunk of readCsv(this.input.bytes(), this.options)) {
      const records = isFirst ? chunk.slice(1) : chunk;
      isFirst = false;
      yield records.filter((record) => this.fits(record, report));
    }
  }

  private async firstRecord(firstLine: number): Promise<CsvRecord> {
    for await (const [record] of readCsv(this.input.bytes(), { ...this.options, firstLine })) if (record) return record;
    if (firstLine === 1) throw new SourceFault(1, 'the file is empty; its first line must name the columns');
    throw new SourceFault(firstLine, 'the file ends before this line, which is the header according to the map');
  }

  /** @throws {SourceFault} if another line looks like the header, or if the delimiter is probably another one */
  private async refuseNoHeader({ line, cells }: CsvRecord): Promise<void> {
    await this.refuseJson();
    const elsewhere = new ForeignHeader(this.mapping);
    for (let other = 1; other <= SEARCHED_LINES; other++) {
      const record = await this.firstRecord(other).catch(() => undefined);
      if (!record) break;
      elsewhere.read(record.cells, record.line);
      if (!elsewhere.known) continue;
      const advice = `line ${record.line} does; write file: { header: ${record.line} } in the map`;
      throw new SourceFault(line, `this line has none of the headers that the map names, but ${advice}`);
    }
    if (cells.length === 1 && /[^\p{L}\p{N} ]/u.test(cells[0]!))
      throw new SourceFault(
        line,
        `the header is one cell, ${quoted(cells[0]!)}; name the delimiter with --delimiter, or with file: { delimiter: … } in the map`,
      );
  }

  private async refuseJson(): Promise<void> {
    for await (const piece of this.input.bytes()) {
      if (JSON_START.test(piece.toString()))
        throw new SourceFault(1, 'this is JSON, but a map reads only CSV; export CSV, or convert the file');
      return;
    }
  }

  private fits({ cells, line }: CsvRecord, report: ReportProblem | undefined): boolean {
    const { width } = this.header;
    if (cells.length === width) return true;
    if (report && !this.badLines.has(line)) {
      report(line, '', widthFault(cells.length, width));
      this.badLines.add(line);
    }
    return false;
  }
}

/** Returns the column names of a file without a header: the names in the map, or else 1, 2, 3, … */
function namesOf(names: readonly string[], { cells, line }: CsvRecord): readonly string[] {
  if (!names.length) return cells.map((_, index) => String(index + 1));
  if (names.length !== cells.length)
    throw new SourceFault(line, `${cells.length} cells, but the map names ${names.length} columns in file.header`);
  return names;
}
