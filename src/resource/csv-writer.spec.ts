import { parse } from 'csv-parse/sync';
import { undone } from '../../test/support/csv-cells.js';
import { SeededRandom } from '../../test/support/seeded-random.js';
import { csvWriter } from './csv-writer.js';

const row = (value: unknown, delimiter = ',') => csvWriter(['V'], delimiter).row(JSON.stringify({ V: value }));
/** The row of one value, as its JSON is spelt. */
const rowOf = (json: string) => csvWriter(['V'], ',').row(`{"V":${json}}`);

test('the header has the keys, in order, with the delimiter between them', () => {
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
  ['"a;b"', 'a;b'],
  ['"a\\"b"', '"a""b"'],
  ['"a\\nb"', '"a\nb"'],
  ['"a\\rb"', '"a\rb"'],
  ['"a\\r\\nb"', '"a\r\nb"'],
  ['"a\\tb"', 'a\tb'],
  ['"a\\\\"', 'a\\'],
  ['"\\\\\\""', '"\\"""'],
  ['"\\u0001é\u{1F3A9}\\u2028"', '\u0001é\u{1F3A9}\u2028'],
  ['"}],[{:"', '"}],[{:"'],
  ['[]', '[]'],
  ['[{"A":"]}\\"","B":1.50},{"A":null,"B":2}]', '"[{""A"":""]}\\"""",""B"":1.50},{""A"":null,""B"":2}]"'],
])('%s is the cell %j', (json, cell) => {
  expect(rowOf(json)).toBe(`${cell}\r\n`);
});

test('with a semicolon, that is what needs quotes', () => {
  expect(row('a;b', ';')).toBe('"a;b"\r\n');
  expect(row('a,b', ';')).toBe('a,b\r\n');
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
])('the text %j is no formula: %j; and what it was can be told', (text, cell) => {
  const [[parsed]] = parse(row(text), { record_delimiter: '\r\n' }) as [[string]];
  expect([parsed, undone(parsed)]).toEqual([cell, text]);
});

test.each([
  ['another key', '{"W":1}'],
  ['a key too few', '{"V":1}', ['V', 'W']],
  ['a key too many', '{"V":1,"W":2}'],
  ['another order', '{"W":1,"V":2}', ['V', 'W']],
  ['no end', '{"V":"x'],
  ['no value', '{"V":}'],
  ['nothing', ''],
  ['a text that is none', '{"V":"\\x"}'],
])('JSON with %s is an error, and no row', (_what, json, keys = ['V']) => {
  expect(() => csvWriter(keys, ',').row(json)).toThrow(/JSON/);
});

test('texts as long as there are any come back, which must not take a step of the stack for each of their characters', () => {
  const long = '"\\,\n]é'.repeat(100_000);
  const [[text, array]] = parse(csvWriter(['T', 'A'], ',').row(JSON.stringify({ T: long, A: [{ B: long }] })), {
    record_delimiter: '\r\n',
  }) as [[string, string]];
  expect(text).toBe(long);
  expect(JSON.parse(array)).toEqual([{ B: long }]);
});

test('random values come back from a parser, whichever delimiter', () => {
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
    expect(rows.map((cells) => cells.map(undone))).toEqual(
      elements.map(({ A, B, C, D }) => [A, B === null ? '' : String(B), C, JSON.stringify(D)]),
    );
  }
});
