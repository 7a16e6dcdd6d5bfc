import iconv from 'iconv-lite';
import { inPieces, PIECE_SIZES } from '../../../test/support/in-pieces.js';
import { SourceFault } from './table-source.js';
import { utf8Pieces } from './utf8-pieces.js';

interface Reading {
  text: string;
  fault?: SourceFault;
}

/** Reads the file in pieces of several sizes, up to its end or a fault, and expects the same result for all sizes. */
async function read(content: string | Buffer, encoding = 'utf-8'): Promise<Reading> {
  const readings = await Promise.all(PIECE_SIZES.map((size) => readInPieces(content, encoding, size)));
  for (const reading of readings) expect(reading).toEqual(readings[0]);
  return readings[0]!;
}

async function readInPieces(content: string | Buffer, encoding: string, size: number) {
  let text = '';
  try {
    // Decodes each piece alone, because no piece may end within a character.
    for await (const piece of utf8Pieces(inPieces(content, size), encoding)) text += piece.toString();
    return { text };
  } catch (fault) {
    if (!(fault instanceof SourceFault)) throw fault;
    return { text, fault };
  }
}

const bytes = (...parts: (string | number[])[]) => Buffer.concat(parts.map((part) => Buffer.from(part as string)));
const INVALID = [0xe9];

test.each(['', 'x', 'aé€😀b', 'a\r\nb\rc\nd', '\uFFFD', 'a\0b'])('reads %j unchanged', async (text) => {
  expect(await read(text)).toEqual({ text });
});

test.each(['', 'a', 'é\n', '\uFEFFb'])(
  'the byte-order mark before %j is removed, and a second one is text',
  async (text) => {
    expect(await read(`\uFEFF${text}`)).toEqual({ text });
  },
);

test.each([
  ['in the first line', bytes('a,', INVALID, '\nb'), 1, ''],
  ['in a later line', bytes('a\nb\nc', INVALID, '\nd\n'), 3, 'a\nb\n'],
  ['after CRLF', bytes('a\r\nb\r\n', INVALID, '\r\n'), 3, 'a\r\nb\r\n'],
  ['after CR', bytes('a\rb\r', INVALID), 3, 'a\rb\r'],
  ['after blank lines', bytes('a\n\n\r\n\r', INVALID), 5, 'a\n\n\r\n\r'],
  ['after characters of several bytes', bytes('é€😀\n', INVALID), 2, 'é€😀\n'],
  ['after a replacement character', bytes('\uFFFD\n', INVALID), 2, '\uFFFD\n'],
  ['after a byte-order mark', bytes('\uFEFFa\n', INVALID), 2, 'a\n'],
  ['incomplete at the end', bytes('a\nb', [0xf0, 0x9f, 0x98]), 2, 'a\nb'],
  ['incomplete before a line break', bytes('a\nb', [0xf0, 0x9f], '\nc'), 2, 'a\n'],
  ['overlong', bytes('a\n', [0xc0, 0xaf]), 2, 'a\n'],
  ['half of a UTF-16 pair', bytes('a\n', [0xed, 0xa0, 0x80]), 2, 'a\n'],
  ['above the last character', bytes('a\n', [0xf4, 0x90, 0x80, 0x80]), 2, 'a\n'],
  ['continuation bytes alone', bytes('a\n', [0x80, 0x80, 0x80, 0x80]), 2, 'a\n'],
] as const)('bytes that are not UTF-8 are a fault at their line: %s', async (_, content, line, before) => {
  for (const size of PIECE_SIZES) {
    const { text, fault } = await readInPieces(content, 'utf-8', size);
    expect(fault?.line).toBe(line);
    expect(fault?.message).toContain('not valid UTF-8');
    expect(fault?.message).toMatch(
      /its first affected cell reads .* in .*\. Pass the encoding that reads correctly with --encoding/,
    );
    // Text before it on the same line may or may not be read.
    expect(text.startsWith(before.slice(0, before.lastIndexOf('\n') + 1))).toBe(true);
  }
});

test('every byte of windows-1252 is read, and the five bytes that it lacks are a fault at their line', async () => {
  const lacks = [0x81, 0x8d, 0x8f, 0x90, 0x9d];
  const has = Array.from({ length: 256 }, (_, byte) => byte).filter((byte) => !lacks.includes(byte));
  const { text } = await read(Buffer.from(has), 'windows-1252');
  expect(text).toHaveLength(251);
  expect(text).toContain('€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ');
  expect(text).toMatch(/¡.*ÿ$/s);
  for (const byte of lacks) {
    const { fault } = await readInPieces(bytes('caf', INVALID, '\r\nb', [byte], '\n'), 'windows-1252', 3);
    expect(fault).toMatchObject({ line: 2, message: expect.stringContaining('not valid windows-1252') });
  }
});

test.each(['utf-8', 'windows-1252'] as const)(
  'UTF-16 read as %s is recognized, and the message gives the remedy',
  async (encoding) => {
    const little = Buffer.from('\uFEFFa,b\n', 'utf16le');
    for (const content of [little, Buffer.from(little).swap16(), little.subarray(0, 2)]) {
      const { text, fault } = await read(content, encoding);
      expect(text).toBe('');
      expect(fault).toMatchObject({ line: 1, message: expect.stringMatching(/UTF-16; save it as UTF-8/) });
    }
  },
);

test.each([
  ['utf-16', true],
  ['utf-16le', false],
  ['utf-16be', false],
] as const)('%s is read if the operator names it, with a byte-order mark: %s', async (encoding, marked) => {
  const little = Buffer.from(`${marked ? '\uFEFF' : ''}Größe,€😀\n1\n`, 'utf16le');
  expect(await read(encoding === 'utf-16be' ? Buffer.from(little).swap16() : little, encoding)).toEqual({
    text: 'Größe,€😀\n1\n',
  });
});

test('UTF-16 without a byte-order mark is recognized by its zeros', async () => {
  const little = Buffer.from('SKU,Name\nA,Rope\n', 'utf16le');
  for (const [content, name] of [
    [little, 'utf-16le'],
    [Buffer.from(little).swap16(), 'utf-16be'],
  ] as const) {
    const { text, fault } = await read(content);
    expect([text, fault?.message]).toEqual(['', expect.stringContaining(`or pass --encoding ${name}`)]);
  }
});

test.each([
  ['windows-1250', 'Łódź čřž'],
  ['macroman', 'Schüssel für Öl'],
  ['windows-1251', 'Сумка'],
  ['cp850', 'Größe'],
  ['shift_jis', '縄ロープ'],
  ['gb18030', '绳子😀'],
])('%s is decoded, wherever the pieces end', async (encoding, text) => {
  expect(await read(iconv.encode(`sku,name\r\n1,${text}\r\n`, encoding), encoding)).toEqual({
    text: `sku,name\r\n1,${text}\r\n`,
  });
});

test('a file with the byte-order mark of UTF-8 is refused in another encoding', async () => {
  const { fault } = await read('\uFEFFa', 'windows-1252');
  expect(fault).toMatchObject({ line: 1, message: expect.stringContaining('leave out --encoding') });
});

test.each(['windows-1252', 'windows-1250', 'macroman', 'cp850', 'iso-8859-15'])(
  'a file that is valid UTF-8 is a fault with %s, which would read other letters',
  async (encoding) => {
    const { fault } = await read('sku,name\nA,Größe €\nB,x\n', encoding);
    expect(fault?.line).toBe(2);
    expect(fault?.message).toMatch(/^the file is UTF-8, and .* would turn "ö" into ".{2}"; leave out --encoding/);
  },
);

test('a file of another encoding may contain letters that are UTF-8 by chance', async () => {
  const text = 'A,Ã¶\nB,Größe\n';
  expect(await read(iconv.encode(text, 'windows-1252'), 'windows-1252')).toEqual({ text });
});

test('a file that is mostly UTF-8 is a fault in another encoding, and its other lines are counted', async () => {
  const content = Buffer.concat([Buffer.from('A,Größe\nB,Öl\n'), iconv.encode('C,Rot für\n', 'windows-1252')]);
  const { fault } = await read(content, 'windows-1252');
  expect(fault).toMatchObject({
    line: 1,
    message: expect.stringMatching(/^the file is mostly UTF-8, .* write all lines in UTF-8 \(1 are not\)/),
  });
});

test('the fault of a line names an earlier line that is UTF-8, because the file may mix encodings', async () => {
  const bad = iconv.encode('C,Rot für\n', 'windows-1252');
  const mixed = await read(Buffer.concat([Buffer.from('A,a\nB,Öl\n'), bad]));
  expect(mixed.fault).toMatchObject({ line: 3, message: expect.stringContaining('Line 2 is valid UTF-8') });
  const other = await read(Buffer.concat([Buffer.from('A,a\nB,b\n'), bad]));
  expect(other.fault).toMatchObject({ line: 3, message: expect.not.stringContaining('is valid UTF-8') });
});

test('UTF-32 is recognized, and XML in UTF-16', async () => {
  const wide = iconv.encode('a,b\n1,ö\n', 'utf-32', { addBOM: true });
  for (const encoding of ['utf-8', 'utf-16'])
    expect((await read(wide, encoding)).fault?.message).toBe(
      'the file is UTF-32; save it as UTF-8 (in Excel: "CSV UTF-8"), or pass --encoding utf-32',
    );
  expect(await read(wide, 'utf-32')).toEqual({ text: 'a,b\n1,ö\n' });
  const xml = Buffer.from('\uFEFF<?xml version="1.0" encoding="UTF-16"?><BMECAT/>', 'utf16le');
  for (const encoding of ['utf-8', 'utf-16'])
    expect((await read(xml, encoding)).fault?.message).toBe('this is XML; export CSV instead, or convert it');
});
