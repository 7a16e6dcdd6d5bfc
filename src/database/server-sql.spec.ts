import { rowIn } from './server-sql.js';

test.each<[string, string[], unknown[][], string, unknown[]]>([
  ['one column', ['a'], [[1], [2]], '((a IN (?,?)))', [1, 2]],
  [
    'two columns',
    ['a', 'b'],
    [
      [1, 2],
      [3, 4],
      [1, 5],
    ],
    '((a = ? AND b IN (?,?)) OR (a = ? AND b IN (?)))',
    [1, 2, 5, 3, 4],
  ],
  [
    'three columns',
    ['a', 'b', 'c'],
    [
      [1, 2, 3],
      [1, 2, 4],
      [1, 5, 3],
    ],
    '((a = ? AND b = ? AND c IN (?,?)) OR (a = ? AND b = ? AND c IN (?)))',
    [1, 2, 3, 4, 1, 5, 3],
  ],
])('rowIn selects all rows by %s', (_, columns, rows, sql, parameters) => {
  expect(rowIn(columns, rows)).toEqual({ sql, parameters });
});
