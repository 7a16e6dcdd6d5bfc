import { CellError } from '../../cell.js';
import { scaledDecimal } from './scaled-decimal.js';

test.each([
  ['0.1', '3', 4, '0.3'],
  ['1.005', '1000', 4, '1005.000'],
  [' 0.085000 ', '1000', 4, '85.0000'],
  ['-1.5', '2', 4, '-3.0'],
  ['0', '453.59237', 4, '0.0000'],
  ['0.3', '453.59237', 4, '136.0777'],
  ['1', '0.00005', 4, '0.0001'],
  ['-1', '0.00005', 4, '-0.0001'],
  ['1', '0.00004', 4, '0.0000'],
  ['0.29', '100', 0, '29'],
  ['1.5', '1', Infinity, '1.5'],
  ['9007199254740993', '1', 4, '9007199254740993'],
])('%s times %s is exact', (number, factor, scale, product) => {
  expect(scaledDecimal(number, factor, scale)).toBe(product);
});

test.each(['', 'x', '1,5', '1.', '.5', '+1', '1e3', '1 000', '- 1', '1.2.3', '0x10', '9'.repeat(31)])(
  '%j is not a number',
  (text) => {
    expect(() => scaledDecimal(text, '2', 4)).toThrow(CellError);
  },
);
