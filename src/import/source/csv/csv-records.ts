import { joinedHead } from '../joined-head.js';
import { detectDelimiter, hasHeader } from './delimiter.js';
import { type CsvRecord, RecordParser } from './record-parser.js';
import type { ReadingOptions } from '../table-source.js';
import { utf8Pieces } from '../utf8-pieces.js';

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
/** The delimiter is detected in this many bytes, even if the header has not ended by then. */
const MAX_HEADER_BYTES = 1024 * 1024;

/**
 * Yields the records of an RFC 4180 file in chunks, header first. It skips blank lines.
 * @throws {SourceFault} at the first line with an invalid encoding or quote; the records before it are still yielded
 */
export async function* readCsv(bytes: AsyncIterable<Buffer>, options: ReadingOptions): AsyncGenerator<CsvRecord[]> {
  let parser: RecordParser | undefined;
  try {
    const { encoding, delimiter, firstLine = 1 } = options;
    for await (const piece of joinedHead(fromLine(utf8Pieces(bytes, encoding), firstLine), holdsHeader)) {
      parser ??= new RecordParser(delimiter ?? detectDelimiter(piece.toString()), firstLine);
      await parser.parse(piece);
      yield* parser.records();
    }
    await parser?.finish();
  } catch (fault) {
    await parser?.flushCompleteRecords();
    yield* parser?.records() ?? [];
    throw fault;
  }
  yield* parser?.records() ?? [];
}

function holdsHeader(head: Buffer): boolean {
  return head.length > MAX_HEADER_BYTES || hasHeader(head.toString());
}

/** Skips the lines before `firstLine`, which need not be CSV. */
async function* fromLine(pieces: AsyncIterable<Buffer>, firstLine: number): AsyncGenerator<Buffer> {
  let left = firstLine - 1;
  let afterReturn = false;
  for await (const piece of pieces) {
    let start = 0;
    for (; left && start < piece.length; start++) {
      const byte = piece[start]!;
      if (byte === LINE_FEED ? !afterReturn : byte === CARRIAGE_RETURN) left--;
      afterReturn = byte === CARRIAGE_RETURN;
    }
    if (!left && afterReturn && start < piece.length) {
      if (piece[start] === LINE_FEED) start++;
      afterReturn = false;
    }
    yield piece.subarray(start);
  }
}
