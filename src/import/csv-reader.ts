import { CsvError, parse } from 'csv-parse';
import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';

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

/**
 * The records of an RFC 4180 file in UTF-8, header first; a byte-order mark and blank lines are passed over.
 * @throws {CsvFault} where the bytes are no UTF-8, or the quotes do not close
 */
export async function* readCsv(path: string): AsyncGenerator<CsvRecord> {
  const parser = parse({
    bom: true,
    record_delimiter: ['\r\n', '\n', '\r'],
    skip_empty_lines: true,
    relax_column_count: true,
    info: true,
  });
  const text = Readable.from(decodeUtf8(path));
  text.on('error', (error) => parser.destroy(error));
  try {
    for await (const { record, info } of text.pipe(parser)) {
      yield { line: info.lines - lineBreaks(record), cells: record };
    }
  } catch (error) {
    if (error instanceof CsvError) throw new CsvFault(Number(error.lines), error.message);
    throw error;
  } finally {
    text.destroy();
  }
}

async function* decodeUtf8(path: string): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let line = 1;
  for await (const chunk of createReadStream(path)) {
    const text = decodeOr(
      () => decoder.decode(chunk, { stream: true }),
      () => line + badLine(chunk),
    );
    line += text.split('\n').length - 1;
    yield text;
  }
  yield decodeOr(
    () => decoder.decode(),
    () => line,
  );
}

function decodeOr(decode: () => string, line: () => number): string {
  try {
    return decode();
  } catch {
    throw new CsvFault(line(), 'this line is not valid UTF-8; save the file with the encoding UTF-8');
  }
}

/** How many lines of the chunk come before the first that is no UTF-8 (0 if a character begun before it is at fault). */
function badLine(chunk: Buffer): number {
  const lines = chunk.toString('latin1').split('\n');
  const bad = lines.findIndex((line, index) => index > 0 && Buffer.from(line, 'latin1').toString().includes('\uFFFD'));
  const first = Buffer.from(lines[0]!, 'latin1').toString();
  return first.includes('\uFFFD') || bad < 0 ? 0 : bad;
}

function lineBreaks(cells: string[]): number {
  return cells.reduce((sum, cell) => sum + (cell.match(/\r\n|\n|\r/g)?.length ?? 0), 0);
}
