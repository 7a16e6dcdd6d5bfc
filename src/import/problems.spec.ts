import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { ImportRefused, Problems } from './problems.js';

/** What is said of them. */
function refusal(problems: Problems): ImportRefused {
  try {
    problems.assertNone();
  } catch (error) {
    return error as ImportRefused;
  }
  throw new Error('no refusal');
}

test('no problem is no refusal', () => {
  const problems = new Problems();
  expect(problems.none).toBe(true);
  expect(() => problems.assertNone()).not.toThrow();
});

test('each is one line: file, and line and column where it has them', () => {
  const problems = new Problems();
  problems.add('a.csv', 0, '', 'of the file');
  problems.add('a.csv', 7, '', 'of a line');
  problems.add('a.csv', 7, 'SKU', 'of a cell');
  problems.add('a.csv', 0, 'SKU', 'of a column');
  const { message, problems: listed } = refusal(problems);
  expect(message.split('\n')).toEqual([
    'a.csv: of the file',
    'a.csv: SKU: of a column',
    'a.csv:7: of a line',
    'a.csv:7: SKU: of a cell',
    'Nothing was imported: 4 problem(s).',
  ]);
  expect(listed[3]).toEqual({ file: 'a.csv', line: 7, column: 'SKU', message: 'of a cell' });
});

test('what a terminal would obey is shown instead, wherever a file put it', () => {
  const problems = new Problems();
  problems.add('\u001B[2J.csv', 1, 'S\u202EKU', 'has\nlines');
  problems.add('\u001B[2J.csv', 0, '', 'is bad');
  expect(refusal(problems).message.split('\n')).toEqual([
    '\\u{1b}[2J.csv: is bad',
    '\\u{1b}[2J.csv:1: S\\u{202e}KU: has\\u{a}lines',
    'Nothing was imported: 2 problem(s).',
  ]);
});

test('the same fault at the same place counts once: several tables may be read from one file', () => {
  const problems = new Problems();
  for (const message of ['x', 'x', 'y']) problems.add('a.csv', 7, 'SKU', message);
  problems.add('b.csv', 7, 'SKU', 'x');
  expect(refusal(problems).count).toBe(3);
});

test('the first 100 by file, as files came, and line, however they were found', () => {
  const problems = new Problems();
  problems.add('b.csv', 9, '', 'x');
  for (let line = 300; line > 100; line--) problems.add('a.csv', line, '', 'x');
  problems.add('b.csv', 2, '', 'x');
  const { message, problems: listed, count } = refusal(problems);
  expect(listed.slice(0, 3).map(({ file, line }) => `${file}:${line}`)).toEqual(['b.csv:2', 'b.csv:9', 'a.csv:101']);
  expect(listed).toHaveLength(100);
  expect(listed.at(-1)).toMatchObject({ file: 'a.csv', line: 198 });
  expect(count).toBe(202);
  expect(message).toMatch(/\n… and 102 more\.\nNothing was imported: 202 problem\(s\)\.$/);
});

test('half a million problems take no more memory than a thousand', () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const problems = new Problems();
  const fill = (from: number, to: number) => {
    for (let line = from; line < to; line++) problems.add('a.csv', line, 'SKU', `"${line}" is unknown`.repeat(2));
    collect();
    return process.memoryUsage().heapUsed;
  };
  const before = fill(1, 1000);
  expect((fill(1000, 500_000) - before) / 1024 ** 2).toBeLessThan(5);
  expect(refusal(problems).count).toBe(499_999);
});
