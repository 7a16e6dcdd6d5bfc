import { parse } from 'csv-parse/sync';
import { inPieces, PIECE_SIZES } from '../../../../test/support/in-pieces.js';
import { SeededRandom } from '../../../../test/support/seeded-random.js';
import { readCsv } from './csv-records.js';
import type { CsvRecord } from './record-parser.js';
import { type ReadingOptions, SourceFault } from '../table-source.js';

const OPTIONS: ReadingOptions = { encoding: 'utf-8', decimalComma: false };

interface Reading {
  records: CsvRecord[];
  fault?: SourceFault;
}

async function readInPieces(content: string | Buffer, size: number, options: Partial<ReadingOptions>) {
  const reading: Reading = { records: [] };
  try {
    for await (const records of readCsv(inPieces(content, size), { ...OPTIONS, ...options }))
      reading.records.push(...records);
  } catch (fault) {
    if (!(fault instanceof SourceFault)) throw fault;
    reading.fault = fault;
  }
  return reading;
}

/** Reads the file in pieces of several sizes, up to its end or a fault, and expects the same result for all sizes. */
async function readAll(content: string | Buffer, options: Partial<ReadingOptions> = {}): Promise<Reading> {
  const readings: Reading[] = [];
  for (const size of PIECE_SIZES) readings.push(await readInPieces(content, size, options));
  for (const reading of readings) expect(reading).toEqual(readings[0]);
  return readings[0]!;
}

async function read(content: string | Buffer, options: Partial<ReadingOptions> = {}): Promise<CsvRecord[]> {
  const { records, fault } = await readAll(content, options);
  if (fault) throw fault;
  return records;
}

/** Records as `line: cells`. */
const text = (records: readonly CsvRecord[]) =>
  records.map(({ line, cells }) => `${line}: ${JSON.stringify(cells).slice(1, -1)}`);
const lines = async (content: string | Buffer) => text(await read(content));

test.each([
  ['LF', 'a,b\n1,2\n3,4\n'],
  ['CRLF', 'a,b\r\n1,2\r\n3,4\r\n'],
  ['CR', 'a,b\r1,2\r3,4\r'],
  ['all three line ends', 'a,b\r1,2\r\n3,4\n'],
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
])('%s gives no record', async (_, content) => {
  expect(await read(content)).toEqual([]);
});

test.each([
  ['LF', 'a,b\n"x\ny\n",2\n3,4\n', 'x\ny\n', 5],
  ['CRLF', 'a,b\r\n"x\r\ny\r\n",2\r\n3,4\r\n', 'x\r\ny\r\n', 5],
  ['CR', 'a,b\r"x\ry\r",2\r3,4\r', 'x\ry\r', 5],
  ['CRLF within, LF between', 'a,b\n"x\r\ny",2\n3,4\n', 'x\r\ny', 4],
  ['LF within, CRLF between', 'a,b\r\n"x\ny",2\r\n3,4\r\n', 'x\ny', 4],
  ['blank lines within', 'a,b\n"\n\n",2\n3,4\n', '\n\n', 5],
])('line breaks within quotes are kept and counted once: %s', async (_, content, cell, next) => {
  expect(await read(content)).toEqual([
    { line: 1, cells: ['a', 'b'] },
    { line: 2, cells: [cell, '2'] },
    { line: next, cells: ['3', '4'] },
  ]);
});

test('a CR at the end of a cell and an LF at the beginning of the next cell are two line breaks', async () => {
  expect(await lines('a,b\n"1\r","\n2"\n3,4\n')).toEqual(['1: "a","b"', '2: "1\\r","\\n2"', '5: "3","4"']);
});

test('blank lines are skipped but counted', async () => {
  expect(await lines('\na,b\n\n\n1,2\n\n3,4\n\n')).toEqual(['2: "a","b"', '5: "1","2"', '7: "3","4"']);
  expect(await lines('a,b\r\n\r\n1,2\r\n')).toEqual(['1: "a","b"', '3: "1","2"']);
  expect(await lines('a,b\n\n"1\r\n",2\n\r\n\n3,4')).toEqual(['1: "a","b"', '3: "1\\r\\n","2"', '7: "3","4"']);
});

test('cells keep every character', async () => {
  const cells = [' a ', '\ttab', 'say "hi"', "it's", 'back\\slash', '1,5', '😀', 'e\u0301', '\u00A0', "'=1+1", '#'];
  const quoted = cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join();
  expect(await read(`${quoted}\n a ,,""\n`)).toEqual([
    { line: 1, cells },
    { line: 2, cells: [' a ', '', ''] },
  ]);
});

test('a record of another width is returned unchanged', async () => {
  expect(await lines('a,b\n1\n1,2,3\n')).toEqual(['1: "a","b"', '2: "1"', '3: "1","2","3"']);
});

test.each([
  ['semicolons', 'a;b,c;d\n1,5;"x;y";\n', [['a', 'b,c', 'd'], ['1,5', 'x;y', '']]], // prettier-ignore
  ['tabs', 'a\tb\n1,5\tx;y\n', [['a', 'b'], ['1,5', 'x;y']]], // prettier-ignore
  ['bars', 'a|b\n1,5|x;y\n', [['a', 'b'], ['1,5', 'x;y']]], // prettier-ignore
  ['commas', 'a,b\n1;5,x\ty\n', [['a', 'b'], ['1;5', 'x\ty']]], // prettier-ignore
  ['semicolons, with commas in quotes', '\r\n"a,,\n,,";b\n1;2\n', [['a,,\n,,', 'b'], ['1', '2']]], // prettier-ignore
  ['commas, with semicolons and doubled quotes in quotes', '"a"";;""",b\n1,2\n', [['a";;"', 'b'], ['1', '2']]], // prettier-ignore
  ['none', 'a\n1,2\n', [['a'], ['1', '2']]],
])('the delimiter is detected in the header: %s', async (_, content, cells) => {
  expect((await read(content)).map((record) => record.cells)).toEqual(cells);
});

test('a given delimiter overrides detection', async () => {
  expect((await read('a,b;c\n', { delimiter: ';' }))[0]!.cells).toEqual(['a,b', 'c']);
});

test('windows-1252 is decoded', async () => {
  const content = Buffer.from('a;b\n\x80;\xe9\n', 'latin1');
  expect((await read(content, { encoding: 'windows-1252' }))[1]!.cells).toEqual(['€', 'é']);
});

test.each([
  ['in a later line', 'a,b\n1,2\n3,', '\n4,5\n', ['1: "a","b"', '2: "1","2"'], 3],
  ['in a last cell', 'a,b\n1,2\n3,4', '', ['1: "a","b"', '2: "1","2"'], 3],
  ['within quotes', 'a,b\n1,2\n"x\n', '",2\n', ['1: "a","b"', '2: "1","2"'], 4],
  ['after a cell of several lines', 'a,b\n1,2\n"x\n",', '\n', ['1: "a","b"', '2: "1","2"'], 4],
  ['in the header', 'a,', '\n1,2\n', [], 1],
])(
  'bytes that are not UTF-8 are a fault after all records before them: %s',
  async (_, before, after, records, line) => {
    const content = Buffer.concat([Buffer.from(before), Buffer.from([0xe9]), Buffer.from(after)]);
    for (const size of PIECE_SIZES) {
      const reading = await readInPieces(content, size, {});
      expect(text(reading.records)).toEqual(records);
      expect(reading.fault).toMatchObject({ line, message: expect.stringContaining('not valid UTF-8') });
    }
  },
);

test.each([
  ['an unclosed quote', 'a,b\n1,2\n"x,3\n4,5\n', 3, 'never closed'],
  ['an unclosed quote, after blank lines', 'a,b\n1,2\n\r\n\n"x,3\n4,5\n', 5, 'never closed'],
  ['an unclosed quote, in a later cell', 'a,b\n"1\r\n",2\n3,"x\n4,5\n\n', 4, 'never closed'],
  ['an unclosed quote, in the header', '"a,b\n1,2\n', 1, 'never closed'],
  ['text after a closing quote', 'a,b\n1,2\n"x"y,3\n4,5\n', 3, 'closing quote'],
  ['a quote within an unquoted cell', 'a,b\n1,2\nx"y",3\n4,5\n', 3, 'unquoted cell contains a quote'],
])(
  '%s is a fault at the line where its record starts, after all records before it',
  async (_, content, line, message) => {
    const { records, fault } = await readAll(content);
    expect(fault).toMatchObject({ line, message: expect.stringContaining(message) });
    expect(records.at(-1)?.line ?? 0).toBeLessThan(line);
    expect(records.filter(({ cells }) => cells[0] === '1')).toHaveLength(line > 2 && !content.includes('"1') ? 1 : 0);
  },
);

test.each([
  ['an unclosed quote', '"3,4\n', 'x'],
  ['an endless row of delimiters', '', ','],
])('%s is a fault before the whole file is read', async (_, start, more) => {
  let pieces = 0;
  async function* endless() {
    yield Buffer.from(`a,b\n1,2\n${start}`);
    for (; pieces < 1000; pieces++) yield Buffer.alloc(64 * 1024, more);
  }
  const records: CsvRecord[] = [];
  const reading = async () => {
    for await (const chunk of readCsv(endless(), OPTIONS)) records.push(...chunk);
  };
  await expect(reading()).rejects.toMatchObject({ line: 3, message: expect.stringContaining('more than 2 MB') });
  expect(text(records)).toEqual(['1: "a","b"', '2: "1","2"']);
  expect(pieces).toBeLessThan(40);
});

test.each(['', '1,2\n'])(
  'a record of more than 2 MB is a fault at its first line, with "%s" after it',
  async (after) => {
    const record = `"${'x\n'.repeat(1024 * 1024)}",2\n`;
    for (const size of [64 * 1024, Infinity])
      expect(await readInPieces(`a,b\n1,2\n${record}${after}`, size, {})).toMatchObject({
        records: [{ line: 1 }, { line: 2 }],
        fault: { line: 3, message: expect.stringContaining('more than 2 MB') },
      });
  },
);

test('any number of blank lines is skipped', async () => {
  const records: CsvRecord[] = [];
  const content = inPieces(`a,b\n${'\n'.repeat(3 * 1024 * 1024)}1,2\n`, 64 * 1024);
  for await (const chunk of readCsv(content, OPTIONS)) records.push(...chunk);
  expect(records.map(({ cells }) => cells)).toEqual([
    ['a', 'b'],
    ['1', '2'],
  ]);
});

test('the longest row of a table is read, even if it consists of quotes', async () => {
  const cell = `"${'""'.repeat(65_535)}"`;
  const records: CsvRecord[] = [];
  const content = inPieces(`a\n${Array(7).fill(cell).join()}\n`, 64 * 1024);
  for await (const chunk of readCsv(content, OPTIONS)) records.push(...chunk);
  expect(records[1]!.cells.map(({ length }) => length)).toEqual(Array(7).fill(65_535));
});

test('a reader that stops early closes the file', async () => {
  let closed = false;
  async function* file() {
    try {
      for (;;) yield Buffer.from('a,b\n');
    } finally {
      closed = true;
    }
  }
  for await (const records of readCsv(file(), OPTIONS)) if (records.length) break;
  expect(closed).toBe(true);
});

test.each(['\n', '\r\n', '\r'])('lines before the header are skipped but counted: %j', async (end) => {
  const content = ['Price "list;', ';;', 'sku;name', '"A', 'B";1', '', 'C;2', ''].join(end);
  expect((await read(content, { firstLine: 3 })).map(({ line, cells }) => [line, ...cells])).toEqual([
    [3, 'sku', 'name'],
    [4, `A${end}B`, '1'],
    [7, 'C', '2'],
  ]);
  expect(await read(content, { firstLine: 9 })).toEqual([]);
});

test('the operator can choose any character as the delimiter', async () => {
  for (const delimiter of ['|', '^', ':', ' ', '§', '~'])
    expect((await read(`a${delimiter}b,c\n`, { delimiter }))[0]!.cells).toEqual(['a', 'b,c']);
});

/** The parts of random files. Most of the files are invalid. */
const PARTS = ['a', 'é', '😀', ' ', '"', '""', '"b"', ',', ',', '\n', '\r\n', '\r', '"c\r\nd"', '"e""f"'];

/** Reads a file with another parser. @returns undefined if the file is invalid */
function readByOtherParser(content: string): string[][] | undefined {
  try {
    return parse(content, {
      delimiter: ',',
      record_delimiter: ['\r\n', '\n', '\r'],
      skip_empty_lines: true,
      relax_column_count: true,
    });
  } catch {
    return undefined;
  }
}

test('reads the same cells as another parser, and refuses the same files', async () => {
  const random = new SeededRandom(1);
  let valid = 0;
  for (let count = 0; count < 1000; count++) {
    const content = `a,b\n${Array.from({ length: 7 }, () => random.of(PARTS)).join('')}`;
    const { records, fault } = await readInPieces(content, random.of(PIECE_SIZES), { delimiter: ',' });
    const expected = readByOtherParser(content);
    if (expected) valid++;
    expect({ content, cells: fault ? undefined : records.map(({ cells }) => cells) }).toEqual({
      content,
      cells: expected,
    });
  }
  expect(valid).toBeGreaterThan(150);
});
