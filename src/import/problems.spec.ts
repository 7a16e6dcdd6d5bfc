import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { ImportRefused, Problems } from './problems.js';

/** The error that the problems cause. */
function refusal(problems: Problems): ImportRefused {
  try {
    problems.assertNone();
  } catch (error) {
    return error as ImportRefused;
  }
  throw new Error('no refusal');
}

test('does not throw if there are no problems', () => {
  const problems = new Problems();
  expect(problems.none).toBe(true);
  expect(() => problems.assertNone()).not.toThrow();
});

test('prints each problem on one line with its file and, if known, its line and column', () => {
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

test('makes control characters visible in file names, columns and messages', () => {
  const problems = new Problems();
  problems.add('\u001B[2J.csv', 1, 'S\u202EKU', 'has\nlines');
  problems.add('\u001B[2J.csv', 0, '', 'is bad');
  expect(refusal(problems).message.split('\n')).toEqual([
    '\\u{1b}[2J.csv: is bad',
    '\\u{1b}[2J.csv:1: S\\u{202e}KU: has\\u{a}lines',
    'Nothing was imported: 2 problem(s).',
  ]);
});

test('counts the same fault at the same place once, because several tables may read one file', () => {
  const problems = new Problems();
  for (const message of ['x', 'x', 'y']) problems.add('a.csv', 7, 'SKU', message);
  problems.add('b.csv', 7, 'SKU', 'x');
  expect(refusal(problems).count).toBe(3);
});

test('shows the first three problems of a kind per column by line number, and counts the others', () => {
  const problems = new Problems();
  for (const line of [9, 300, 4, 2, 17, 5]) problems.add('a.csv', line, 'Price', `"x${line}" is not a decimal`);
  problems.add('a.csv', 3, 'Name', `has ${300} characters, 255 is the maximum`);
  problems.add('a.csv', 3, 'Price', '"-1" is less than 0');
  const { message, groups, count } = refusal(problems);
  expect(message.split('\n')).toEqual([
    'a.csv:2: Price: "x2" is not a decimal',
    'a.csv:4: Price: "x4" is not a decimal',
    'a.csv:5: Price: "x5" is not a decimal',
    'a.csv: Price: … and 3 more like this, 6 in all',
    'a.csv:3: Name: has 300 characters, 255 is the maximum',
    'a.csv:3: Price: "-1" is less than 0',
    'Nothing was imported: 8 problem(s).',
  ]);
  expect(count).toBe(8);
  expect(groups).toEqual([
    { file: 'a.csv', column: 'Price', message: '"x2" is not a decimal', count: 6, lines: [2, 4, 5] },
    { file: 'a.csv', column: 'Name', message: 'has 300 characters, 255 is the maximum', count: 1, lines: [3] },
    { file: 'a.csv', column: 'Price', message: '"-1" is less than 0', count: 1, lines: [3] },
  ]);
});

test('shows 100 problems, ordered by first appearance of the file and by line, and returns all groups', () => {
  const problems = new Problems();
  problems.add('b.csv', 9, '', 'x');
  for (let line = 300; line > 100; line--)
    problems.add('a.csv', line, String.fromCharCode(65 + (line % 26), 65 + Math.floor(line / 26)), 'x');
  problems.add('b.csv', 2, '', 'x');
  const { message, problems: listed, groups, count } = refusal(problems);
  expect(listed.slice(0, 3).map(({ file, line }) => `${file}:${line}`)).toEqual(['b.csv:2', 'b.csv:9', 'a.csv:101']);
  expect(listed).toHaveLength(100);
  expect([count, groups.length]).toEqual([202, 201]);
  expect(message).toMatch(/\n… and 102 more\.\nNothing was imported: 202 problem\(s\)\.$/);
});

test('needs no more memory for half a million problems than for a thousand', () => {
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
