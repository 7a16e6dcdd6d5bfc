import { CARRIAGE_RETURN, LINE_FEED } from '../line-counter.js';
import { SourceFault } from '../table-source.js';

/** One record of a CSV file. */
export interface CsvRecord {
  /** The number of its first line, counted from 1. */
  line: number;
  cells: string[];
}

/** In bytes. Bounds the memory for a quote that is never closed; twice the longest row with every quote doubled. */
const MAX_RECORD_BYTES = 2 * 1024 * 1024;

const QUOTE = 0x22;
const LINE_BREAK = /\r\n?|\n/g;

/**
 * Parses records as RFC 4180 describes them, and numbers each record by its first line. Skips blank lines. It decodes
 * each cell alone, because a part of a longer string would keep the whole string in memory.
 */
export class RecordParser {
  private readonly delimiter: Buffer;
  /** The last piece, after the bytes before it that were not parsed yet. */
  private text = Buffer.alloc(0);
  private position = 0;
  private isLast = false;
  /** Whether the last line ended in a CR, so that an LF after it does not end another line. */
  private afterReturn = false;
  /** The complete cells of the current record; undefined between two records. */
  private cells?: string[];
  /** The bytes of the current record so far, and the line breaks within its cells. */
  private size = 0;
  private breaks = 0;

  /** @param line the line number of the first byte */
  constructor(
    delimiter: string,
    private line = 1,
  ) {
    this.delimiter = Buffer.from(delimiter);
  }

  /**
   * Yields the records that end in this piece.
   * @param piece the next bytes of the file; no piece ends within a character
   * @throws {SourceFault} at the first invalid record
   */
  parse(piece: Buffer): Generator<CsvRecord> {
    this.text = Buffer.concat([this.text.subarray(this.position), piece]);
    this.position = 0;
    return this.records();
  }

  /**
   * Yields the last record if no line break ends it.
   * @throws {SourceFault} if the record is invalid
   */
  finish(): Generator<CsvRecord> {
    this.isLast = true;
    return this.records();
  }

  private *records(): Generator<CsvRecord> {
    while (this.cells || this.beginRecord()) {
      const start = this.position;
      const cell = this.text[start] === QUOTE ? this.quotedCell() : this.unquotedCell();
      if (cell === undefined) break;
      this.cells!.push(cell);
      const continues = this.isDelimiter(this.position);
      if (continues) this.position += this.delimiter.length;
      this.size += this.position - start;
      this.limit(this.size);
      if (!continues) yield this.endRecord();
    }
    if (this.cells) this.limit(this.size + this.text.length - this.position);
  }

  private limit(bytes: number): void {
    if (bytes > MAX_RECORD_BYTES) throw this.fault('it has more than 2 MB; check that all quotes are closed');
  }

  /** Skips line breaks. @returns whether a record follows */
  private beginRecord(): boolean {
    for (; this.position < this.text.length; this.position++) {
      const byte = this.text[this.position];
      if (byte !== LINE_FEED && byte !== CARRIAGE_RETURN) {
        [this.cells, this.size, this.breaks, this.afterReturn] = [[], 0, 0, false];
        return true;
      }
      if (byte === CARRIAGE_RETURN || !this.afterReturn) this.line++;
      this.afterReturn = byte === CARRIAGE_RETURN;
    }
    return false;
  }

  private endRecord(): CsvRecord {
    const record = { line: this.line, cells: this.cells! };
    this.line += this.breaks;
    this.cells = undefined;
    return record;
  }

  /** Reads a cell. @returns undefined if the cell may continue after the text */
  private unquotedCell(): string | undefined {
    const { text, position: start } = this;
    const end = this.endOfUnquoted(start);
    if (text[end] === QUOTE) throw this.fault('an unquoted cell contains a quote; quote the cell and double the quote');
    if (end === text.length && !this.isLast) return undefined;
    this.position = end;
    return text.toString('utf8', start, end);
  }

  private endOfUnquoted(start: number): number {
    const { text, delimiter } = this;
    const [first] = delimiter;
    for (let end = start; end < text.length; end++) {
      const byte = text[end];
      if (byte === LINE_FEED || byte === CARRIAGE_RETURN || byte === QUOTE) return end;
      if (byte === first && this.isDelimiter(end)) return end;
    }
    return text.length;
  }

  /** Reads a cell. @returns undefined if the cell may continue after the text */
  private quotedCell(): string | undefined {
    const { text, position: start } = this;
    const end = this.closingQuote(start + 1);
    if (end === undefined) return undefined;
    if (!this.endsCell(end + 1))
      throw this.fault('text follows a closing quote; double each quote within a quoted cell');
    this.position = end + 1;
    const cell = text.toString('utf8', start + 1, end);
    this.breaks += cell.match(LINE_BREAK)?.length ?? 0;
    return cell.includes('"') ? cell.replaceAll('""', '"') : cell;
  }

  private closingQuote(start: number): number | undefined {
    const { text } = this;
    for (let end = text.indexOf(QUOTE, start); end >= 0; end = text.indexOf(QUOTE, end + 2)) {
      if (end + 1 === text.length && !this.isLast) return undefined;
      if (text[end + 1] !== QUOTE) return end;
    }
    if (this.isLast) throw this.fault('a quote that opens here is never closed');
    return undefined;
  }

  private endsCell(position: number): boolean {
    const byte = this.text[position];
    return byte === undefined || byte === LINE_FEED || byte === CARRIAGE_RETURN || this.isDelimiter(position);
  }

  private isDelimiter(position: number): boolean {
    const { delimiter, text } = this;
    for (let index = 0; index < delimiter.length; index++)
      if (text[position + index] !== delimiter[index]) return false;
    return true;
  }

  private fault(description: string): SourceFault {
    return new SourceFault(this.line, `the record that starts here is not valid CSV: ${description}`);
  }
}
