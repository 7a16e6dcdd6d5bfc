import { format } from 'mysql2';
import { Batches } from './batch.js';
import { CellError } from './cell.js';
import type { SourceRow } from './source/table-source.js';

const PLENTY = { parameters: Infinity, bytes: 1_000_000_000 };

const rowsOf = (...cells: SourceRow['cells'][]): SourceRow[] =>
  cells.map((row, index) => ({ line: index + 2, cells: row }));

/** Rows that all have the same cells. */
const times = (count: number, cells: string[]) => rowsOf(...Array.from({ length: count }, () => cells));

/** The batches that the rows are grouped into. */
function batchesOf(rows: readonly SourceRow[], limits: Partial<typeof PLENTY>, columns: number): SourceRow[][] {
  const batches = new Batches({ ...PLENTY, ...limits }, columns);
  const full = rows.map((row) => batches.add(row)).filter((batch) => batch !== undefined);
  return [...full, batches.take()].map((batch) => [...batch]);
}

const sizes = (batches: SourceRow[][]) => batches.map(({ length }) => length);

test('returns all rows once, in their order', () => {
  const rows = rowsOf(...Array.from({ length: 2500 }, (_, index) => [`${index}`, 'x'.repeat(index % 500)]));
  const batches = batchesOf(rows, {}, 2);
  expect(batches.flat()).toEqual(rows);
  expect(batches.length).toBeGreaterThan(2);
});

test('returns an empty batch if there are no rows', () => {
  expect(batchesOf([], {}, 1)).toEqual([[]]);
});

test('does not count the rows of a taken batch in the next one', () => {
  const batches = new Batches({ ...PLENTY, parameters: 2 }, 1);
  const [row] = rowsOf(['x']);
  expect([batches.add(row!), batches.take().length, batches.add(row!), batches.add(row!)]).toEqual([
    undefined,
    1,
    undefined,
    undefined,
  ]);
  expect(batches.add(row!)).toHaveLength(2);
});

test('puts at most 1,000 rows into a batch', () => {
  expect(sizes(batchesOf(times(2001, ['x']), {}, 1))).toEqual([1000, 1000, 1]);
});

test.each([
  ['three columns, ten parameters', 3, 10, [3, 3, 1]],
  ['as many parameters as columns', 3, 3, [1, 1, 1, 1, 1, 1, 1]],
  ['fewer parameters than columns, without splitting a row', 3, 2, [1, 1, 1, 1, 1, 1, 1]],
])('keeps to the parameter limit: %s', (_, columns, parameters, expected) => {
  expect(sizes(batchesOf(times(7, Array(columns).fill('x')), { parameters }, columns))).toEqual(expected);
});

test('keeps 1,000 products with 29 columns within the parameters of the embedded database', () => {
  const columns = 29;
  const batches = batchesOf(times(3000, Array(columns).fill('x')), { parameters: 32_766 }, columns);
  expect(sizes(batches)).toEqual([1000, 1000, 1000]);
  expect(batches[0]!.flatMap(({ cells }) => cells).length).toBeLessThanOrEqual(32_766);
});

// The texts take two or three bytes of UTF-8 for each UTF-16 code unit, or two bytes because they are escaped. The rows
// of the empty text consist mostly of commas.
test.each(['😀', '€', "'", '\\', '\n', 'x', ''])('keeps values %j within the bytes of a statement', (text) => {
  const bytes = 30_000;
  const rows = rowsOf(...Array.from({ length: 300 }, (_, index) => ['K', text.repeat(index * 3), '', text]));
  const statements = batchesOf(rows, { bytes }, 4).map((batch) =>
    format('?', [batch.map(({ cells }) => cells.map(String))]),
  );
  expect(Math.max(...statements.map((statement) => Buffer.byteLength(statement)))).toBeLessThanOrEqual(bytes);
  // The batches must not be smaller than necessary, either.
  expect(statements.length).toBeLessThan(rows.length);
});

test('puts a row that exceeds the limit into a batch of its own', () => {
  const rows = rowsOf(['a'.repeat(1000)], ['b'], ['c'], ['d'.repeat(1000)], ['e']);
  expect(sizes(batchesOf(rows, { bytes: 10_300 }, 1))).toEqual([1, 2, 1, 1]);
});

test('counts an invalid cell like any other cell', () => {
  expect(sizes(batchesOf(rowsOf(['a', new CellError('is wrong')], ['b', '']), {}, 2))).toEqual([2]);
});
