import { isUtf8 } from 'node:buffer';
import iconv from 'iconv-lite';
import { joinedHead } from './joined-head.js';
import { LineCounter } from './line-counter.js';
import { type ReadingOptions, SourceFault } from './table-source.js';

type Encoding = ReadingOptions['encoding'];

const UTF8_MARK = Buffer.from([0xef, 0xbb, 0xbf]);
const UTF16_MARKS = [Buffer.from([0xff, 0xfe]), Buffer.from([0xfe, 0xff])];

/**
 * The text of a file as UTF-8, whatever its encoding, without a byte-order mark. No piece ends within a character, so
 * that each can be decoded alone. Pieces may be empty.
 * @throws {SourceFault} in the line that the encoding does not allow; the lines before it are still yielded
 */
export async function* utf8Pieces(bytes: AsyncIterable<Buffer>, encoding: Encoding): AsyncGenerator<Buffer> {
  const { isValid, toUtf8, fault } = CODECS[encoding];
  const counter = new LineCounter();
  for await (const piece of wholeCharacters(withoutMark(bytes, encoding))) {
    const good = isValid(piece) ? piece : validLines(piece, isValid);
    counter.add(good);
    yield toUtf8(good);
    if (good !== piece) throw new SourceFault(counter.line, fault);
  }
}

interface Codec {
  isValid(bytes: Buffer): boolean;
  toUtf8(bytes: Buffer): Buffer;
  fault: string;
}

const CODECS: Record<Encoding, Codec> = {
  'utf-8': {
    isValid: isUtf8,
    toUtf8: (bytes) => bytes,
    fault: 'this line is not valid UTF-8; save the file as UTF-8, or say --encoding windows-1252 if it is that',
  },
  'windows-1252': {
    // These five bytes stand for nothing; what lies below 0x80 is ASCII.
    isValid: (bytes) => !/[\x81\x8d\x8f\x90\x9d]/.test(bytes.toString('latin1')),
    toUtf8: (bytes) => Buffer.from(iconv.decode(bytes, 'windows-1252')),
    fault: 'this line is not valid windows-1252; leave out --encoding if the file is UTF-8',
  },
};

async function* withoutMark(bytes: AsyncIterable<Buffer>, encoding: Encoding): AsyncGenerator<Buffer> {
  let first = true;
  for await (const piece of joinedHead(bytes, (head) => head.length >= UTF8_MARK.length)) {
    yield first ? afterMark(piece, encoding) : piece;
    first = false;
  }
}

function afterMark(head: Buffer, encoding: Encoding): Buffer {
  if (UTF16_MARKS.some((mark) => head.subarray(0, mark.length).equals(mark)))
    throw new SourceFault(1, 'the file is UTF-16; save it as UTF-8 (in Excel: "CSV UTF-8")');
  if (!head.subarray(0, UTF8_MARK.length).equals(UTF8_MARK)) return head;
  if (encoding !== 'utf-8')
    throw new SourceFault(1, `the file begins with the mark of UTF-8, so it is not ${encoding}; leave out --encoding`);
  return head.subarray(UTF8_MARK.length);
}

/** Moves a character that a piece ends within to the next one. */
async function* wholeCharacters(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let rest = Buffer.alloc(0);
  for await (const chunk of bytes) {
    const piece = rest.length ? Buffer.concat([rest, chunk]) : chunk;
    const end = piece.length - unfinished(piece);
    rest = Buffer.from(piece.subarray(end));
    yield piece.subarray(0, end);
  }
  yield rest;
}

/** How many bytes at the end begin a character of UTF-8 and do not finish it. */
function unfinished(bytes: Buffer): number {
  for (let count = 1; count <= Math.min(3, bytes.length); count++) {
    const byte = bytes[bytes.length - count]!;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return count < (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) ? count : 0;
  }
  return 0;
}

/** The lines before the first one that is not valid. */
function validLines(bytes: Buffer, isValid: (line: Buffer) => boolean): Buffer {
  const lines = bytes.toString('latin1').split(/(?<=\n|\r(?!\n))/);
  const bad = lines.findIndex((line) => !isValid(Buffer.from(line, 'latin1')));
  return bytes.subarray(0, lines.slice(0, bad).join('').length);
}
