import { isAscii, isUtf8 } from 'node:buffer';
import iconv from 'iconv-lite';
import { encodingAdvice, isUtf8Name } from './encoding.js';
import { formatFault, unmarkedUtf16 } from './file-format.js';
import { joinedHead } from './joined-head.js';
import { LineCounter } from './line-counter.js';
import { SourceFault } from './table-source.js';

const UTF8_MARK = Buffer.from([0xef, 0xbb, 0xbf]);
const UTF32_MARKS = [Buffer.from([0xff, 0xfe, 0, 0]), Buffer.from([0, 0, 0xfe, 0xff])];
const UTF16_MARKS = [Buffer.from([0xff, 0xfe]), Buffer.from([0xfe, 0xff])];
/** The number of bytes that are enough to recognize the format of a file. */
const HEAD = 512;
/** iconv-lite decodes invalid bytes to this character. */
const UNKNOWN = '\uFFFD';
const LINE_OUTSIDE_ASCII = /^.*?[\x80-\xff].*$/gm;
/** This many lines outside ASCII show whether a file is UTF-8. */
const JUDGED_LINES = 1000;

/**
 * Converts the text of a file from any encoding to UTF-8 and removes the byte-order mark. No piece ends within a
 * character, so each can be decoded alone. Pieces may be empty.
 * @throws {SourceFault} at the first line that is invalid in the encoding; the lines before it are still yielded
 */
export async function* utf8Pieces(bytes: AsyncIterable<Buffer>, encoding: string): AsyncGenerator<Buffer> {
  const text = withoutMark(bytes, encoding);
  yield* isUtf8Name(encoding) ? validated(text) : decoded(text, encoding);
}

async function* validated(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const counter = new LineCounter();
  /** The first line with a character outside ASCII. */
  let proof: number | undefined;
  for await (const piece of wholeCharacters(bytes)) {
    const good = isUtf8(piece) ? piece : validLines(piece);
    if (!proof && !isAscii(good)) proof = counter.lineAt(good, good.findIndex(isOutsideAscii));
    counter.add(good);
    yield good;
    if (good === piece) continue;
    const mixed = proof
      ? `. Line ${proof} is valid UTF-8, so the file may mix encodings: then write this line in UTF-8, too`
      : '';
    const advice = encodingAdvice(piece.subarray(good.length));
    throw new SourceFault(counter.line, `this line is not valid UTF-8; ${advice}${mixed}`);
  }
}

function isOutsideAscii(byte: number): boolean {
  return byte >= 0x80;
}

async function* decoded(bytes: AsyncIterable<Buffer>, encoding: string): AsyncGenerator<Buffer> {
  const counter = new LineCounter();
  for await (const text of decodedTexts(bytes, encoding)) {
    const bad = text.indexOf(UNKNOWN);
    const good = Buffer.from(bad < 0 ? text : text.slice(0, bad).replace(/[^\r\n]*$/, ''));
    counter.add(good);
    yield good;
    if (bad >= 0)
      throw new SourceFault(
        counter.line,
        `this line is not valid ${encoding}; leave out --encoding if the file is UTF-8`,
      );
  }
}

async function* decodedTexts(bytes: AsyncIterable<Buffer>, encoding: string): AsyncGenerator<string> {
  const decoder = iconv.getDecoder(encoding);
  const pieces = isSingleByte(encoding) ? refusingUtf8(bytes, encoding) : bytes;
  for await (const piece of pieces) yield decoder.write(piece);
  yield decoder.end() ?? '';
}

/** Whether each byte is one character. In other encodings, a short file may be valid UTF-8 by chance. */
function isSingleByte(encoding: string): boolean {
  const all = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
  return iconv.decode(all, encoding).length === all.length;
}

/**
 * Passes on the bytes of a file that is not UTF-8. In a single-byte encoding, a line outside ASCII is almost never valid
 * UTF-8.
 * @throws {SourceFault} at the end of a file most of whose lines outside ASCII are UTF-8, with the first of these lines
 */
async function* refusingUtf8(bytes: AsyncIterable<Buffer>, encoding: string): AsyncGenerator<Buffer> {
  const counter = new LineCounter();
  let [valid, invalid] = [0, 0];
  let first: { line: number; letter: Buffer } | undefined;
  for await (const piece of wholeCharacters(bytes)) {
    if (valid + invalid < JUDGED_LINES && !isAscii(piece))
      for (const { 0: text, index } of piece.toString('latin1').matchAll(LINE_OUTSIDE_ASCII)) {
        const line = Buffer.from(text, 'latin1');
        if (!isUtf8(line)) invalid++;
        else if (!valid++) first = { line: counter.lineAt(piece, index), letter: firstLetter(line) };
      }
    counter.add(piece);
    yield piece;
  }
  if (!first || valid <= invalid) return;
  const change = `"${first.letter.toString()}" into "${iconv.decode(first.letter, encoding)}"`;
  const advice = invalid ? `write all lines in UTF-8 (${invalid} are not), and leave out` : 'leave out';
  throw new SourceFault(
    first.line,
    `the file is ${invalid ? 'mostly ' : ''}UTF-8, and ${encoding} would turn ${change}; ${advice} --encoding, or encoding in the map`,
  );
}

/** Returns the first character outside ASCII. */
function firstLetter(line: Buffer): Buffer {
  const at = line.findIndex(isOutsideAscii);
  return Buffer.from([...line.toString('utf8', at, at + 4)][0]!);
}

async function* withoutMark(bytes: AsyncIterable<Buffer>, encoding: string): AsyncGenerator<Buffer> {
  let first = true;
  for await (const piece of joinedHead(bytes, (head) => head.length >= HEAD)) {
    yield first ? afterMark(piece, encoding) : piece;
    first = false;
  }
}

/** @throws {SourceFault} if the file is not text, or begins in another encoding */
function afterMark(head: Buffer, encoding: string): Buffer {
  const wide = wideEncoding(head);
  const fault = formatFault(wide ? Buffer.from(iconv.decode(head, wide)) : head);
  if (fault) throw new SourceFault(1, fault);
  if (wide) refuseWide(wide, encoding);
  if (!head.subarray(0, UTF8_MARK.length).equals(UTF8_MARK)) return head;
  if (!isUtf8Name(encoding))
    throw new SourceFault(
      1,
      `the file begins with the byte-order mark of UTF-8, so it is not ${encoding}; leave out --encoding`,
    );
  return head.subarray(UTF8_MARK.length);
}

/** Returns the encoding of a file in UTF-16 or UTF-32, which its first bytes show; undefined for other files. */
function wideEncoding(head: Buffer): string | undefined {
  const isMarked = (marks: readonly Buffer[]) => marks.some((mark) => head.subarray(0, mark.length).equals(mark));
  if (isMarked(UTF32_MARKS)) return 'utf-32';
  return isMarked(UTF16_MARKS) ? 'utf-16' : unmarkedUtf16(head);
}

/** @throws {SourceFault} if the operator chose an encoding of another width */
function refuseWide(wide: string, encoding: string): void {
  const isRight = wide === 'utf-32' ? /^(utf|ucs)-?(32|4)/i : /^(utf|ucs)-?(16|2)/i;
  if (isRight.test(encoding)) return;
  const name = wide.slice(0, 'utf-16'.length).toUpperCase();
  throw new SourceFault(1, `the file is ${name}; save it as UTF-8 (in Excel: "CSV UTF-8"), or pass --encoding ${wide}`);
}

/** Moves a character that is split between two pieces to the second one. */
async function* wholeCharacters(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let rest = Buffer.alloc(0);
  for await (const chunk of bytes) {
    const piece = rest.length ? Buffer.concat([rest, chunk]) : chunk;
    const end = piece.length - incompleteBytes(piece);
    rest = Buffer.from(piece.subarray(end));
    yield piece.subarray(0, end);
  }
  yield rest;
}

/** Returns how many bytes at the end belong to an incomplete UTF-8 character. */
function incompleteBytes(bytes: Buffer): number {
  for (let count = 1; count <= Math.min(3, bytes.length); count++) {
    const byte = bytes[bytes.length - count]!;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return count < (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) ? count : 0;
  }
  return 0;
}

/** Returns the lines before the first invalid one. */
function validLines(bytes: Buffer): Buffer {
  const lines = bytes.toString('latin1').split(/(?<=\n|\r(?!\n))/);
  const bad = lines.findIndex((line) => !isUtf8(Buffer.from(line, 'latin1')));
  return bytes.subarray(0, lines.slice(0, bad).join('').length);
}
