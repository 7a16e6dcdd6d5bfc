import { joinedHead } from '../joined-head.js';
import { detectDelimiter, hasHeader } from './delimiter.js';
import { type CsvRecord, RecordParser } from './record-parser.js';
import { CARRIAGE_RETURN, LINE_FEED } from '../line-counter.js';
import type { ReadingOptions } from '../table-source.js';
import { utf8Pieces } from '../utf8-pieces.js';

/** The delimiter is detected in this many bytes, even if the header has not ended by then. */
const MAX_HEADER_BYTES = 1024 * 1024;

/**
 * Yields the records of an RFC 4180 file in chunks, header first. It skips blank lines.
 * @throws {SourceFault} at the first line with an invalid encoding or quote; the records before it are still yielded
 */
export async function* readCsv(bytes: AsyncIterable<Buffer>, options: ReadingOptions): AsyncGenerator<CsvRecord[]> {
  const { encoding, delimiter, firstLine = 1 } = options;
  let parser: RecordParser | undefined;
  for await (const piece of joinedHead(fromLine(utf8Pieces(bytes, encoding), firstLine), holdsHeader)) {
    parser ??= new RecordParser(delimiter ?? detectDelimiter(piece.toString()), firstLine);
    yield* inOneChunk(parser.parse(piece));
  }
  if (parser) yield* inOneChunk(parser.finish());
}

/** Collects records into a chunk, which it also yields if a later record is invalid. */
function* inOneChunk(records: Iterable<CsvRecord>): Generator<CsvRecord[]> {
  const chunk: CsvRecord[] = [];
  try {
    for (const record of records) chunk.push(record);
  } finally {
    if (chunk.length) yield chunk;
  }
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
