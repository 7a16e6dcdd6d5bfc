import { decimalText } from './decimal-text.js';

test.each([
  ['12', '12'],
  ['12.5', '12.5'],
  ['12.5000', '12.5'],
  ['12.0000', '12'],
  ['120', '120'],
  ['100.010', '100.01'],
  ['007.5', '7.5'],
  ['0', '0'],
  ['000', '0'],
  ['0.0000', '0'],
  ['0.0001', '0.0001'],
  ['-12.50', '-12.5'],
  ['-0', '0'],
  ['-0.0000', '0'],
  ['-0.0001', '-0.0001'],
  // A binary float would round these.
  ['99999999999999.9999', '99999999999999.9999'],
  ['9007199254740993', '9007199254740993'],
])('decimalText writes %s as %s', (stored, written) => {
  expect(decimalText(stored)).toBe(written);
});

test.each([
  ['19.95', '19.9500'],
  ['19', '19.0000'],
  ['19.95000000', '19.9500'],
  ['0', '0.0000'],
  ['-0.0000', '0.0000'],
  ['-1.5', '-1.5000'],
])('decimalText with four fixed decimals writes %s as %s', (stored, written) => {
  expect(decimalText(stored, 4)).toBe(written);
});

test.each([
  ['24', '24'],
  ['24.000', '24'],
])('decimalText with no decimals writes %s as %s', (stored, written) => {
  expect(decimalText(stored, 0)).toBe(written);
});

test.each(['', '-', '.', '.5', '5.', '-.5', '+5', '--5', ' 5', '5 ', '5\n', '1,5', '1.5.2', '1e5', '1E-7', '0x1F'])(
  'decimalText throws for %j',
  (text) => {
    expect(() => decimalText(text)).toThrow(TypeError);
  },
);

test.each(['NaN', 'Infinity', 'null', 'undefined', 'true', '[object Object]', '١٢'])(
  'decimalText throws for the text %s',
  (text) => {
    expect(() => decimalText(text, 4)).toThrow(TypeError);
  },
);

test('decimalText throws for more digits than the field has, and does not round', () => {
  expect(() => decimalText('1.00001', 4)).toThrow(TypeError);
  expect(() => decimalText('1.5', 0)).toThrow(TypeError);
});

test.each(['0'.repeat(200_000), `0.${'0'.repeat(200_000)}`])(
  'decimalText takes less than a second for 200,000 zeros',
  (zeros) => {
    const start = performance.now();
    expect(() => decimalText(`${zeros}x`)).toThrow(TypeError);
    expect(decimalText(`${zeros}1`)).toMatch(/1$/);
    expect(performance.now() - start).toBeLessThan(1000);
  },
);
