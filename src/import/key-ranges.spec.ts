import { ProductImage } from '../catalog/product-image.entity.js';
import { columnsOf, type FieldDeclaration } from '../resource/field.decorator.js';
import { keyRanges } from './key-ranges.js';

const KEY = columnsOf(ProductImage).filter(({ primary }) => primary);
const images = (count: number, products: number) =>
  Array.from({ length: count }, (_, index) => [`P${index % products}`, `${index}.jpg`]);

test('one range covers keys with many different values in the first column', () => {
  expect(keyRanges(KEY, images(202, 101))).toEqual({ sql: '(SKU >= ? AND SKU <= ?)', parameters: ['P0', 'P99'] });
});

test('a range for each first value covers keys with few of them', () => {
  expect(keyRanges(KEY, images(6, 2))).toEqual({
    sql: '(SKU = ? AND ImageID >= ? AND ImageID <= ?) OR (SKU = ? AND ImageID >= ? AND ImageID <= ?)',
    parameters: ['P0', '0.jpg', '4.jpg', 'P1', '1.jpg', '5.jpg'],
  });
});

test('the limits of a range follow the order of code points, as in the database', () => {
  // By UTF-16 code units, U+FF5E comes after U+1F600.
  const keys = ['\u{FF5E}', '\u{1F600}', 'z', 'Z'].map((sku) => [sku]);
  expect(keyRanges([KEY[0]!], keys)).toEqual({ sql: '(SKU >= ? AND SKU <= ?)', parameters: ['Z', '\u{1F600}'] });
});

test('only a column of texts has a range', () => {
  const position: FieldDeclaration = { ...KEY[1]!, name: 'Position', type: 'int' };
  const keys = [
    ['A', '9'],
    ['B', '10'],
  ];
  expect(keyRanges([KEY[0]!, position], keys)?.sql).toBe('(SKU >= ? AND SKU <= ?)');
  expect(keyRanges([position, position], keys)).toBeUndefined();
});
