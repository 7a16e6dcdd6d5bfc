import { parse } from 'csv-parse/sync';
import { undone } from '../../test/support/csv-cells.js';
import { SeededRandom } from '../../test/support/seeded-random.js';
import { csvWriter } from './csv-writer.js';

const row = (value: unknown, delimiter = ',') => csvWriter(['V'], delimiter).row(JSON.stringify({ V: value }));
/** Returns the row of one value, given as JSON text. */
const rowOf = (json: string) => csvWriter(['V'], ',').row(`{"V":${json}}`);

test('the header has the keys in order, separated by the delimiter', () => {
  expect(csvWriter(['SKU', 'Name'], ';').header).toBe('SKU;Name\r\n');
});

test.each([
  ['null', ''],
  ['""', '""'],
  ['true', 'true'],
  ['false', 'false'],
  ['0', '0'],
  ['-1.5', '-1.5'],
  ['99999999999999.9999', '99999999999999.9999'],
  ['30.1000', '30.1000'],
  ['"plain"', 'plain'],
  ['" kept "', ' kept '],
  ['"null"', 'null'],
  ['"007"', '007'],
  ['"a,b"', '"a,b"'],
  ['"a;b"', '"a;b"'],
  ['"a\\"b"', '"a""b"'],
  ['"a\\nb"', '"a\nb"'],
  ['"a\\rb"', '"a\rb"'],
  ['"a\\r\\nb"', '"a\r\nb"'],
  ['"a\\tb"', '"a\tb"'],
  ['"a\\\\"', 'a\\'],
  ['"\\\\\\""', '"\\"""'],
  ['"\\u0001é\u{1F3A9}\\u2028"', '\u0001é\u{1F3A9}\u2028'],
  ['"}],[{:"', '"}],[{:"'],
  ['[]', '[]'],
  ['[{"A":"]}\\"","B":1.50},{"A":null,"B":2}]', '"[{""A"":""]}\\"""",""B"":1.50},{""A"":null,""B"":2}]"'],
])('the JSON value %s becomes the cell %j', (json, cell) => {
  expect(rowOf(json)).toBe(`${cell}\r\n`);
});

test('a text with either delimiter is quoted, whichever delimiter the row has', () => {
  for (const delimiter of [',', ';'])
    for (const text of ['a,b', 'a;b', 'a\tb']) expect(row(text, delimiter)).toBe(`"${text}"\r\n`);
});

test('a decimal comma replaces only the decimal point of numbers, without quotes', () => {
  const element = '{"A":12.6923,"B":-0.5,"C":30,"D":null,"E":"1.5","F":true,"G":[{"H":1.5}]}';
  const expected = '12,6923;-0,5;30;;1.5;true;"[{""H"":1.5}]"\r\n';
  expect(csvWriter([...'ABCDEFG'], ';', ',').row(element)).toBe(expected);
});

test.each([
  ['=1+1', `'=1+1`],
  ['+49 221', `'+49 221`],
  ['-5', `'-5`],
  ['@SUM(A1)', `'@SUM(A1)`],
  ['\tx', `'\tx`],
  ['\rx', `'\rx`],
  ['\nx', `'\nx`],
  ['＝1', `'＝1`],
  ['＋1', `'＋1`],
  ['－1', `'－1`],
  ['＠1', `'＠1`],
  [`'=1`, `''=1`],
  [`''-`, `'''-`],
  [`'s Gravenhage`, `'s Gravenhage`],
  [`'`, `'`],
  ['x=1', 'x=1'],
  [' =1', ' =1'],
  ['=HYPERLINK("http://x","y")', `'=HYPERLINK("http://x","y")`],
  // Behind another delimiter or a line break, a reader with that delimiter begins a cell.
  ['x;=1+1', `x;'=1+1`],
  ['x,-5', `x,'-5`],
  ['x\t@SUM(A1)', `x\t'@SUM(A1)`],
  ['x\r\n=1+1\r\ny', `x\r\n'=1+1\r\ny`],
  ['a;＋1,=2;;=3', `a;'＋1,'=2;;'=3`],
  [`x;'=1`, `x;''=1`],
  ['x;"=1+1;y', `x;'"=1+1;y`],
  [`=1;'"'=1`, `'=1;''"'=1`],
  [`x;'s`, `x;'s`],
  ['x; =1, -5', 'x; =1, -5'],
  ['x;1=1', 'x;1=1'],
])('the text %j becomes the cell %j, which is no formula and can be converted back', (text, cell) => {
  const [[parsed]] = parse(row(text), { record_delimiter: '\r\n' }) as [[string]];
  expect([parsed, undone(parsed)]).toEqual([cell, text]);
});

test.each([
  ['x;=1+1;y', 'x;\\u003d1+1;y'],
  ['x,-5', 'x,\\u002d5'],
  ['x;＝1', 'x;\\uff1d1'],
  [`x;''=1`, `x;\\u0027'=1`],
  [`=1;1=1; =1;'s`, `=1;1=1; =1;'s`],
])('the text %j in a nested array becomes %j, so that its JSON has the same value and no formula', (text, inJson) => {
  const value = [{ A: text, B: -1.5 }];
  const [[cell]] = parse(row(value), { record_delimiter: '\r\n' }) as [[string]];
  expect([cell, JSON.parse(cell)]).toEqual([`[{"A":"${inJson}","B":-1.5}]`, value]);
});

test('a row that is read with any delimiter has no cell with a formula', () => {
  const random = new SeededRandom(11);
  const parts = ['a', ',', ';', '\t', '"', '\n', '\r', "'", '=', '+', '-', '@', '＝', ' ', '1'];
  const text = () => Array.from({ length: random.of([1, 2, 4, 8]) }, () => random.of(parts)).join('');
  const rows = Array.from({ length: 3000 }, () => {
    const element = JSON.stringify({ A: text(), B: [{ C: text() }, { C: text() }], D: text() });
    return csvWriter(['A', 'B', 'D'], random.of([',', ';'])).row(element);
  });
  const cells = [',', ';', '\t'].flatMap((delimiter) => rows.flatMap((line) => cellsRead(line, delimiter)));
  expect(cells.filter((cell) => /^[=+\-@＝]/.test(cell))).toEqual([]);
});

/** The cells that a spreadsheet reads: quotes have a meaning only at the beginning of a cell. */
function cellsRead(text: string, delimiter: string): string[] {
  const cells = [''];
  let quoted = false;
  for (let at = 0, first = true; at < text.length; at++) {
    const character = text[at]!;
    const isEnd = !quoted && (character === delimiter || character === '\r' || character === '\n');
    if (isEnd) cells.push('');
    else if (character === '"' && quoted && text[at + 1] === '"') cells[cells.length - 1] += text[++at];
    else if (character === '"' && (quoted || first)) quoted = !quoted;
    else cells[cells.length - 1] += character;
    first = isEnd;
  }
  return cells;
}

test.each([
  ['another key', '{"W":1}'],
  ['a missing key', '{"V":1}', ['V', 'W']],
  ['an extra key', '{"V":1,"W":2}'],
  ['keys in another order', '{"W":1,"V":2}', ['V', 'W']],
  ['an unterminated text', '{"V":"x'],
  ['no value', '{"V":}'],
  ['no characters', ''],
  ['an invalid escape', '{"V":"\\x"}'],
])('row throws for JSON with %s', (_what, json, keys = ['V']) => {
  expect(() => csvWriter(keys, ',').row(json)).toThrow(/JSON/);
});

test('a text of 600,000 characters keeps its value, so the parser does not recurse for each character', () => {
  const long = '"\\,\n]é'.repeat(100_000);
  const [[text, array]] = parse(csvWriter(['T', 'A'], ',').row(JSON.stringify({ T: long, A: [{ B: long }] })), {
    record_delimiter: '\r\n',
  }) as [[string, string]];
  expect(text).toBe(long);
  expect(JSON.parse(array)).toEqual([{ B: long }]);
});

test('a CSV parser returns the same random values, with comma and with semicolon', () => {
  const random = new SeededRandom(7);
  const parts = ['a', ',', ';', '"', '\n', '\r', '\\', '[', ']', '{', '}', ':', "'", '=', '-', 'é', '\u{1F3A9}', ' '];
  const text = () => Array.from({ length: random.of([0, 1, 2, 5, 9]) }, () => random.of(parts)).join('');
  const keys = ['A', 'B', 'C', 'D'];
  for (const delimiter of [',', ';']) {
    const writer = csvWriter(keys, delimiter);
    const elements = Array.from({ length: 500 }, () => ({
      A: text(),
      B: random.of([null, 0, -1.25, true]),
      C: text(),
      D: Array.from({ length: random.of([0, 1, 3]) }, () => ({ E: text(), F: random.of([null, 1.5, false]) })),
    }));
    const csv = elements.map((element) => writer.row(JSON.stringify(element))).join('');
    const rows = parse(csv, { delimiter, record_delimiter: '\r\n' }) as string[][];
    expect(rows.map((cells) => cells.map(undone)).map(([A, B, C, D]) => [A, B, C, JSON.parse(D!)])).toEqual(
      elements.map(({ A, B, C, D }) => [A, B === null ? '' : String(B), C, D]),
    );
  }
});
