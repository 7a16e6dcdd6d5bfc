import { CsvError, parse } from 'csv-parse';
import { isUtf8 } from 'node:buffer';
import { createReadStream } from 'node:fs';

/** One record of a CSV file, with the line that it starts on. */
export interface CsvRecord {
  line: number;
  cells: string[];
}

/** The file cannot be read as CSV from `line` on. */
export class CsvFault extends Error {
  constructor(
    readonly line: number,
    message: string,
  ) {
    super(message);
  }
}

const LINE_BREAK = /\r\n|\n|\r/g;
const NEWLINE = 0x0a;

/**
 * The records of an RFC 4180 file in UTF-8, header first; a byte-order mark and blank lines are passed over.
 * @throws {CsvFault} where the bytes are no UTF-8, or the quotes are wrong; the records before it are still yielded
 */
export async function* readCsv(path: string): AsyncGenerator<CsvRecord> {
  const records = new RecordQueue();
  const parser = parse({
    bom: true,
    record_delimiter: ['\r\n', '\n', '\r'],
    skip_empty_lines: true,
    relax_column_count: true,
    // Records are taken here, not from the stream: that would drop those before a fault.
    on_record: (cells: string[], { lines }) => records.add(cells, lines),
  });
  parser.on('error', () => undefined);
  for await (const text of decodeUtf8(path)) {
    const fault = await settled((done) => parser.write(text, done));
    yield* records.take();
    if (fault) throw asFault(fault, records.nextLine);
  }
  const fault = await settled((done) => parser.end(done));
  yield* records.take();
  if (fault) throw asFault(fault, records.nextLine);
}

/** Numbers records by the line that they start on. */
class RecordQueue {
  private records: CsvRecord[] = [];
  /** The parser counts a CRLF within quotes as two lines. */
  private overcount = 0;
  /** The line behind the last record. */
  nextLine = 1;

  add(cells: string[], lines: number): null {
    const breaks = cells.flatMap((cell) => cell.match(LINE_BREAK) ?? []);
    this.overcount += breaks.filter((lineBreak) => lineBreak.length > 1).length;
    const end = lines - this.overcount;
    this.records.push({ line: end - breaks.length, cells });
    this.nextLine = end + 1;
    return null;
  }

  take(): CsvRecord[] {
    return this.records.splice(0);
  }
}

function settled(work: (done: (error?: Error | null) => void) => unknown): Promise<Error | null | undefined> {
  return new Promise((resolve) => work(resolve));
}

/** An unclosed quote swallows the rest of the file: the record that opens it is the place to look. */
function asFault(error: Error, line: number): Error {
  if (!(error instanceof CsvError)) return error;
  return new CsvFault(line, `from this line on the file is no CSV: ${error.message}`);
}

/** The text of a file, piece by piece, each ending with a line, so that no piece ends within a character. */
async function* decodeUtf8(path: string): AsyncGenerator<string> {
  let rest: Buffer[] = [];
  let line = 1;
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    const end = chunk.lastIndexOf(NEWLINE) + 1;
    rest.push(chunk.subarray(0, end || undefined));
    if (!end) continue;
    const text = decodeLines(Buffer.concat(rest), line);
    line += text.match(LINE_BREAK)?.length ?? 0;
    rest = [chunk.subarray(end)];
    yield text;
  }
  yield decodeLines(Buffer.concat(rest), line);
}

function decodeLines(bytes: Buffer, firstLine: number): string {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  try {
    return decoder.decode(bytes);
  } catch {
    throw new CsvFault(
      firstLine + badLine(bytes),
      'this line is not valid UTF-8; save the file with the encoding UTF-8',
    );
  }
}

/** How many lines come before the first that is not valid UTF-8. */
function badLine(bytes: Buffer): number {
  const lines = bytes.toString('latin1').split(LINE_BREAK);
  return lines.findIndex((line) => !isUtf8(Buffer.from(line, 'latin1')));
}
