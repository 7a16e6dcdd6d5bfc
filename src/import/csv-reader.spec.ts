import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CsvFault, type CsvRecord, readCsv } from './csv-reader.js';

const folder = mkdtempSync(join(tmpdir(), 'csv-reader-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Streams hand files on in chunks of this many bytes. */
const CHUNK = 65_536;

async function read(content: string | Buffer): Promise<CsvRecord[]> {
  const path = join(folder, 'file.csv');
  writeFileSync(path, content);
  const records: CsvRecord[] = [];
  for await (const record of readCsv(path)) records.push(record);
  return records;
}

/** Records as `line: cells`. */
const lines = async (content: string | Buffer) =>
  (await read(content)).map(({ line, cells }) => `${line}: ${JSON.stringify(cells).slice(1, -1)}`);

const fault = async (content: string | Buffer): Promise<CsvFault> => {
  const error = await read(content).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof CsvFault)) throw new Error(`no fault but ${String(error)}`);
  return error;
};

test.each([
  ['LF', 'a,b\n1,2\n3,4\n'],
  ['CRLF', 'a,b\r\n1,2\r\n3,4\r\n'],
  ['CR', 'a,b\r1,2\r3,4\r'],
  ['no line break at the end', 'a,b\n1,2\n3,4'],
  ['a byte-order mark', '\uFEFFa,b\n1,2\n3,4\n'],
  ['a byte-order mark before a quote', '\uFEFF"a",b\n1,2\n3,4\n'],
  ['quotes', '"a","b"\n"1","2"\n"3","4"\n'],
])('reads a file with %s', async (_, content) => {
  expect(await lines(content)).toEqual(['1: "a","b"', '2: "1","2"', '3: "3","4"']);
});

test.each([
  ['an empty file', ''],
  ['a byte-order mark alone', '\uFEFF'],
  ['blank lines alone', '\n\r\n\n'],
])('%s has no record', async (_, content) => {
  expect(await read(content)).toEqual([]);
});

test.each([
  ['LF', 'a,b\n"x\ny\n",2\n3,4\n', 'x\ny\n', 5],
  ['CRLF', 'a,b\r\n"x\r\ny\r\n",2\r\n3,4\r\n', 'x\r\ny\r\n', 5],
  ['CR', 'a,b\r"x\ry\r",2\r3,4\r', 'x\ry\r', 5],
  ['CRLF within, LF between', 'a,b\n"x\r\ny",2\n3,4\n', 'x\r\ny', 4],
  ['LF within, CRLF between', 'a,b\r\n"x\ny",2\r\n3,4\r\n', 'x\ny', 4],
  ['blank lines within', 'a,b\n"\n\n",2\n3,4\n', '\n\n', 5],
])('line breaks within quotes are kept, and counted once: %s', async (_, content, cell, next) => {
  expect(await read(content)).toEqual([
    { line: 1, cells: ['a', 'b'] },
    { line: 2, cells: [cell, '2'] },
    { line: next, cells: ['3', '4'] },
  ]);
});

test('blank lines are passed over and counted', async () => {
  expect(await lines('\na,b\n\n\n1,2\n\n3,4\n\n')).toEqual(['2: "a","b"', '5: "1","2"', '7: "3","4"']);
  expect(await lines('a,b\r\n\r\n1,2\r\n')).toEqual(['1: "a","b"', '3: "1","2"']);
});

test('cells are kept to the character', async () => {
  const cells = [' a ', '\ttab', 'say "hi"', "it's", 'back\\slash', '1,5', '😀', 'e\u0301', '\u00A0', "'=1+1"];
  const quoted = cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join();
  expect(await read(`${quoted}\n a ,,""\n`)).toEqual([
    { line: 1, cells },
    { line: 2, cells: [' a ', '', ''] },
  ]);
});

test('a record of another width is handed on as it is', async () => {
  expect(await lines('a,b\n1\n1,2,3\n')).toEqual(['1: "a","b"', '2: "1"', '3: "1","2","3"']);
});

test.each([2, 3, 4])('a character of %d bytes over the boundary of a chunk stays whole', async (bytes) => {
  const character = ['é', '€', '😀'][bytes - 2]!;
  for (let before = 1; before < bytes; before++) {
    const start = 'a,b\n'.padEnd(CHUNK - before, 'x');
    const [, record] = await read(`${start}${character},2\n`);
    expect(record!.cells).toEqual([start.slice(4) + character, '2']);
  }
});

test('a CRLF over the boundary of a chunk is one line break', async () => {
  const start = 'a,b\r\n1,'.padEnd(CHUNK - 1, 'x');
  expect((await read(`${start}\r\n3,4\r\n`)).map(({ line }) => line)).toEqual([1, 2, 3]);
});

const INVALID = Buffer.from('x,caf\xe9\n', 'latin1');
const file = (...parts: (string | Buffer)[]) => Buffer.concat(parts.map((part) => Buffer.from(part as string)));
const ROWS = 'x,é\n'.repeat(15_000);

test.each([
  ['in the first line', file(INVALID), 1],
  ['in a later line', file('a,b\n1,2\n', INVALID, '3,4\n'), 3],
  ['after CRLF', file('a,b\r\n1,2\r\n', INVALID), 3],
  ['after CR', file('a,b\r1,2\r', INVALID), 3],
  ['within quotes', file('a,b\n"x\n', INVALID, '",2\n'), 3],
  ['in the last line, cut short', file('a,b\n1,2\nx,', Buffer.from([0xf0, 0x9f])), 3],
  ['cut short by a line break', file('a,b\n1,', Buffer.from([0xf0, 0x9f]), '\n3,4\n'), 2],
  ['overlong', file('a,b\n', Buffer.from([0xc0, 0xaf]), ',2\n'), 2],
  ['half of a UTF-16 pair', file('a,b\n', Buffer.from([0xed, 0xa0, 0x80]), ',2\n'), 2],
  ['UTF-16', Buffer.from('\uFEFFa,b\n1,2\n', 'utf16le'), 1],
  ['in a later chunk', file(ROWS, INVALID), 15_001],
  // A row has 5 bytes: in one of these the é lies on the boundary of a chunk.
  ...[0, 1, 2, 3, 4].map((shift) => [`after ${shift} bytes, in a later chunk`, shifted(shift), 15_002] as const),
  ['after a character that stands for what could not be read', file('a,b\n\uFFFD,2\n', INVALID), 3],
  ['begun in the chunk before', file('a,b\n'.padEnd(CHUNK - 1, 'x'), Buffer.from([0xf0]), 'x,2\n'), 2],
] as const)('bytes that are no UTF-8 are a fault in their line: %s', async (_, content, line) => {
  const { line: reported, message } = await fault(content);
  expect(message).toContain('not valid UTF-8');
  expect(reported).toBe(line);
});

function shifted(shift: number): Buffer {
  return file(`${'h'.repeat(shift)},b\n`, ROWS, INVALID, '3,4\n');
}

test.each([
  ['a quote that never closes', 'a,b\n1,2\n"x,3\n4,5\n', 3],
  ['a quote that never closes, in a record of several lines', 'a,b\n"1\n",2\n3,"x\n4,5\n\n', 4],
  ['text behind a closing quote', 'a,b\n1,2\n"x"y,3\n4,5\n', 3],
  ['a quote within a bare cell', 'a,b\n1,2\nx"y",3\n4,5\n', 3],
])('%s is a fault in the line that it is in', async (_, content, line) => {
  const { line: reported, message } = await fault(content);
  expect(reported).toBe(line);
  expect(message).not.toBe('');
});

test('a reader that stops early leaves no file open', async () => {
  writeFileSync(join(folder, 'long.csv'), ROWS);
  for await (const { line } of readCsv(join(folder, 'long.csv'))) if (line === 3) break;
  rmSync(join(folder, 'long.csv'));
  await expect(readCsv(join(folder, 'long.csv')).next()).rejects.toThrow('ENOENT');
});
