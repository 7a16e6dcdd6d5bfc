import { CellError } from '../../cell.js';
import { commaToPointCell, commaToPoint } from './decimal-comma.js';

test.each([
  ['19,95', '19.95'],
  ['-0,5', '-0.5'],
  [' 7 ', ' 7 '],
  ['', ''],
  // Texts that are not numbers stay unchanged, and the column refuses them.
  ['many', 'many'],
])('%j becomes %j', (text, number) => {
  expect(commaToPoint(text)).toBe(number);
  expect(commaToPointCell(text)).toBe(number);
});

test.each([
  ['1.234,50', '"1.234,50" has a point'],
  ['19.95', '"19.95" has a point'],
  ['1,234,50', '"1,234,50" has more than one comma'],
])('%j is an error', (text, message) => {
  expect(() => commaToPoint(text)).toThrow(CellError);
  expect(commaToPointCell(text)).toMatchObject({ message: expect.stringContaining(message) });
});
