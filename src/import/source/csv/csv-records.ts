import { joinedHead } from '../joined-head.js';
import { detectDelimiter, hasHeader } from './delimiter.js';
import { type CsvRecord, RecordParser } from './record-parser.js';
import type { ReadingOptions } from '../table-source.js';
import { utf8Pieces } from '../utf8-pieces.js';

/** No delimiter is looked for behind so many bytes. */
const LONGEST_HEADER = 1024 * 1024;

/**
 * The records of an RFC 4180 file in chunks, header first; blank lines are passed over.
 * @throws {SourceFault} where the encoding or the quotes are wrong; the records before it are still yielded
 */
export async function* readCsv(bytes: AsyncIterable<Buffer>, options: ReadingOptions): AsyncGenerator<CsvRecord[]> {
  let parser: RecordParser | undefined;
  try {
    for await (const piece of joinedHead(utf8Pieces(bytes, options.encoding), holdsHeader)) {
      parser ??= new RecordParser(options.delimiter ?? detectDelimiter(piece.toString()));
      await parser.parse(piece);
      yield* parser.records();
    }
    await parser?.finish();
  } catch (fault) {
    await parser?.breakOff();
    yield* parser?.records() ?? [];
    throw fault;
  }
  yield* parser?.records() ?? [];
}

function holdsHeader(head: Buffer): boolean {
  return head.length > LONGEST_HEADER || hasHeader(head.toString());
}
