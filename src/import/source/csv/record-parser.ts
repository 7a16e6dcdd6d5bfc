import { CsvError, Parser } from 'csv-parse';
import { SourceFault } from '../table-source.js';

/** One record of a CSV file. */
export interface CsvRecord {
  /** The number of its first line, counted from 1. */
  line: number;
  cells: string[];
}

/** In bytes. Bounds the memory for a quote that is never closed; twice the longest row with every quote doubled. */
const MAX_RECORD_BYTES = 2 * 1024 * 1024;

const LINE_ENDS: ReadonlySet<unknown> = new Set([0x0a, 0x0d]);

/** The parser's error codes, explained to the operator. */
const DESCRIPTIONS: Record<string, string> = {
  CSV_QUOTE_NOT_CLOSED: 'a quote that opens here is never closed',
  CSV_INVALID_CLOSING_QUOTE: 'text follows a closing quote; double each quote within a quoted cell',
  INVALID_OPENING_QUOTE: 'an unquoted cell contains a quote; quote the cell and double the quote',
  CSV_MAX_RECORD_SIZE: 'it has more than 2 MB; check that all quotes are closed',
};

/**
 * Parses CSV and numbers each record by its first line. It overrides `push` to collect the records: the parser's stream
 * would lose the records before an error, and the option `on_record` would double the time.
 */
export class RecordParser extends Parser {
  private parsed: CsvRecord[] = [];
  /** The parser's counts of lines and blank lines at the end of the last record. */
  private endLine = 0;
  private blankLines = 0;
  /** The number of lines that the parser counted in excess, because it counts a CRLF within quotes twice. */
  private overcount = 0;
  private lastByte?: number;
  /** Number of bytes of the unfinished record, without those in the piece with its beginning. */
  private unfinishedBytes = 0;

  /** @param firstLine the line number of the first byte */
  constructor(
    delimiter: string,
    private readonly firstLine = 1,
  ) {
    super({
      delimiter,
      record_delimiter: ['\r\n', '\n', '\r'],
      skip_empty_lines: true,
      relax_column_count: true,
      max_record_size: MAX_RECORD_BYTES,
    });
    // `parse` and `finish` throw the errors.
    this.on('error', () => undefined);
  }

  /** @throws {SourceFault} */
  async parse(piece: Buffer): Promise<void> {
    this.lastByte = piece.at(-1) ?? this.lastByte;
    const ended = this.ended;
    await this.settled((done) => this.write(piece, done));
    this.unfinishedBytes = this.ended === ended ? this.unfinishedBytes + piece.length : 0;
    // The parser's own limit does not count delimiters.
    if (this.unfinishedBytes > MAX_RECORD_BYTES) throw this.fault({ code: 'CSV_MAX_RECORD_SIZE' });
  }

  /** @throws {SourceFault} */
  finish(): Promise<void> {
    return this.settled((done) => this.end(done));
  }

  /** If reading cannot continue, takes the complete records that the parser still holds, but no partial one. */
  async flushCompleteRecords(): Promise<void> {
    try {
      await this.finish();
      if (!LINE_ENDS.has(this.lastByte)) this.parsed.pop();
    } catch {
      // The text ended within quotes, or the parser itself failed. In both cases, there is no further complete record.
    }
  }

  /** Yields the records since the last call, if there are any. */
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

  /** The number of records and blank lines so far. */
  private get ended(): number {
    return this.info.records + this.info.empty_lines;
  }

  /** The first line of the next record. */
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
    return new SourceFault(this.nextLine, `the record that starts here is not valid CSV: ${description}`);
  }
}
