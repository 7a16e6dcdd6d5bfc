import { CsvError, Parser } from 'csv-parse';
import { SourceFault } from '../table-source.js';

/** One record of a CSV file, with the line that it starts on. */
export interface CsvRecord {
  line: number;
  cells: string[];
}

/** Bounds the memory that a quote takes which nobody closes. Of a row's texts, all quotes doubled, it holds the double. */
const LONGEST_RECORD = 2 * 1024 * 1024;

const LINE_ENDS: ReadonlySet<unknown> = new Set([0x0a, 0x0d]);

/** What the errors of the parser mean to an operator. */
const DESCRIPTIONS: Record<string, string> = {
  CSV_QUOTE_NOT_CLOSED: 'a quote that opens here is never closed',
  CSV_INVALID_CLOSING_QUOTE: 'text follows a closing quote; within a quoted cell a quote has to be doubled',
  INVALID_OPENING_QUOTE: 'a quote stands in a cell that does not begin with one; quote the cell and double the quote',
  CSV_MAX_RECORD_SIZE: 'it has more than 2 MB; is a quote not closed?',
};

/**
 * Parses CSV and numbers the records by the lines that they start on. It takes them where the parser pushes them: its
 * stream would lose those before an error, and `on_record` costs as much as all of the parsing.
 */
export class RecordParser extends Parser {
  private parsed: CsvRecord[] = [];
  /** The parser's counts at the end of the last record. */
  private endLine = 0;
  private blankLines = 0;
  /** The parser counts a CRLF within quotes as two lines. */
  private overcount = 0;
  private lastByte?: number;
  /** Bytes of the record that has begun, without those of the piece that it began in. */
  private begun = 0;

  /** @param firstLine the number of the line that the first byte is on */
  constructor(
    delimiter: string,
    private readonly firstLine = 1,
  ) {
    super({
      delimiter,
      record_delimiter: ['\r\n', '\n', '\r'],
      skip_empty_lines: true,
      relax_column_count: true,
      max_record_size: LONGEST_RECORD,
    });
    // Errors come out of parse and finish.
    this.on('error', () => undefined);
  }

  /** @throws {SourceFault} */
  async parse(piece: Buffer): Promise<void> {
    this.lastByte = piece.at(-1) ?? this.lastByte;
    const ended = this.ended;
    await this.settled((done) => this.write(piece, done));
    this.begun = this.ended === ended ? this.begun + piece.length : 0;
    // The parser does not count delimiters.
    if (this.begun > LONGEST_RECORD) throw this.fault({ code: 'CSV_MAX_RECORD_SIZE' });
  }

  /** @throws {SourceFault} */
  finish(): Promise<void> {
    return this.settled((done) => this.end(done));
  }

  /** Where the file cannot be read on: takes what the parser held back to look ahead, but no part of a record. */
  async breakOff(): Promise<void> {
    try {
      await this.finish();
      if (!LINE_ENDS.has(this.lastByte)) this.parsed.pop();
    } catch {
      // It broke off in quotes, or within the parser.
    }
  }

  /** The records since the last call. */
  *records(): Generator<CsvRecord[]> {
    if (this.parsed.length) yield this.parsed.splice(0);
  }

  override push(cells: string[] | null): boolean {
    if (cells) this.add(cells);
    return true;
  }

  private add(cells: string[]): void {
    this.parsed.push({ line: this.nextLine, cells });
    const { lines, empty_lines: blankLines } = this.info;
    const spanned = lines - this.endLine - (blankLines - this.blankLines);
    if (spanned > 1) this.overcount += cells.join().split('\r\n').length - 1;
    this.endLine = lines;
    this.blankLines = blankLines;
  }

  /** How many records and blank lines there were. */
  private get ended(): number {
    return this.info.records + this.info.empty_lines;
  }

  /** The line that the record after the last one starts on. */
  private get nextLine(): number {
    return this.endLine - this.overcount + (this.info.empty_lines - this.blankLines) + this.firstLine;
  }

  private async settled(work: (done: (error?: Error | null) => void) => unknown): Promise<void> {
    const error = await new Promise<Error | null | undefined>((resolve) => work(resolve));
    if (error instanceof CsvError) throw this.fault(error);
    if (error) throw error;
  }

  private fault({ code, message = code }: { code: string; message?: string }): SourceFault {
    const description = DESCRIPTIONS[code] ?? message;
    return new SourceFault(this.nextLine, `the record that starts here is no CSV: ${description}`);
  }
}
