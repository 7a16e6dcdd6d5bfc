import { didYouMean } from './did-you-mean.js';

const NAMES = ['SKU', 'Name', 'Barcode', 'CartonBarcode', 'PackagedLength_in_cm', 'MOQ'];

test.each([
  ['Barcod', 'Barcode'],
  ['barcode', 'Barcode'],
  ['BAR-CODE', 'Barcode'],
  ['Carton Barcode', 'CartonBarcode'],
  ['packaged length in cm', 'PackagedLength_in_cm'],
  ['PackagedLenght_in_cm', 'PackagedLength_in_cm'],
  ['Nmae', undefined],
  ['sku ', 'SKU'],
  ['EAN', undefined],
  ['Description', undefined],
  ['', undefined],
])('the suggestion for %j is %s', (unknown, name) => {
  expect(didYouMean(unknown, NAMES)).toBe(name ? `; did you mean ${name}?` : '');
});

test('no name is suggested if no name is left', () => {
  expect(didYouMean('Name', [])).toBe('');
});

test('a text longer than 100 characters gets no suggestion', () => {
  const long = 'x'.repeat(100);
  expect(didYouMean(`${long}y`, [long])).toBe('');
});
