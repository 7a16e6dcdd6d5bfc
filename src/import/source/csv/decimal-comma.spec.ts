import { CellError } from '../../cell.js';
import { pointCell, pointDecimal } from './decimal-comma.js';

test.each([
  ['19,95', '19.95'],
  ['-0,5', '-0.5'],
  [' 7 ', ' 7 '],
  ['', ''],
  // What is no number is left to the column to refuse.
  ['many', 'many'],
])('%j is %j', (text, number) => {
  expect(pointDecimal(text)).toBe(number);
  expect(pointCell(text)).toBe(number);
});

test.each([
  ['1.234,50', '"1.234,50" has a point'],
  ['19.95', '"19.95" has a point'],
  ['1,234,50', '"1,234,50" has more than one comma'],
])('%j is an error, never another number', (text, message) => {
  expect(() => pointDecimal(text)).toThrow(CellError);
  expect(pointCell(text)).toMatchObject({ message: expect.stringContaining(message) });
});
