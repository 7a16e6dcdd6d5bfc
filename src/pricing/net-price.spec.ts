import { InvariantViolation, violations } from '../invariants/invariants.js';
import { netPrice } from './net-price.js';

test.each([
  // Each of these is a tie in decimal but not in binary, so floating-point arithmetic rounds some of them incorrectly.
  ['4.0001', '50', '2.0001'],
  ['20.1501', '50', '10.0751'],
  ['0.0003', '50', '0.0002'],
  ['0.0001', '50', '0.0001'],
  ['199999.9999', '50', '100000.0000'],
  ['2.0001', '25', '1.5001'],
  ['2.0002', '25', '1.5002'],
  // Close to a tie.
  ['0.0001', '50.0001', '0.0000'],
  ['4.0001', '50.0001', '2.0000'],
  ['4.0001', '49.9999', '2.0001'],
  // Discounts that have no exact binary float.
  ['19.95', '33.3333', '13.3000'],
  ['100', '33.3333', '66.6667'],
  ['1', '0.0001', '1.0000'],
  ['10000', '0.0001', '9999.9900'],
  ['29.99', '12.5', '26.2413'],
  // Negative prices are also rounded half away from zero.
  ['-4.0001', '50', '-2.0001'],
  ['-0.0003', '50', '-0.0002'],
  ['-20', '33.3333', '-13.3333'],
  // Discounts of 0 % and 100 %, and a price of 0.
  ['19.9501', '0', '19.9501'],
  ['19.9501', '0.0000', '19.9501'],
  ['19.9501', '100', '0.0000'],
  ['19.9501', '100.0000', '0.0000'],
  ['0', '33.3333', '0.0000'],
  // As many digits as the column stores, which is more than a float can represent.
  ['99999999999999.9999', '0', '99999999999999.9999'],
  ['99999999999999.9999', '50', '50000000000000.0000'],
  ['99999999999999.9999', '33.3333', '66666699999999.9999'],
  ['12345678901234.5678', '0.0001', '12345666555555.6666'],
  // Spellings in databases and files.
  ['5', '0', '5.0000'],
  ['0005.5', '10', '4.9500'],
  ['5.50000000', '10.000000', '4.9500'],
])('netPrice of %s with a discount of %s %% is %s', (listPrice, discount, net) => {
  expect(netPrice(listPrice, discount)).toBe(net);
});

test.each(['', ' 5', '5 ', '+5', '.5', '5.', '1,5', '1e2', '0x10', '1.00001', 'NaN', 'null', '5\n'])(
  'netPrice throws for %j as a price and as a discount',
  (text) => {
    expect(() => netPrice(text, '10')).toThrow(TypeError);
    expect(() => netPrice('10', text)).toThrow(TypeError);
  },
);

test.each(['-0.0001', '-10', '100.0001', '1000'])(
  'netPrice throws for a discount of %s %%, which is outside 0 to 100',
  (text) => {
    expect(() => netPrice('10', text)).toThrow(RangeError);
  },
);

describe('a wrong result of the arithmetic (decision 153)', () => {
  const before = violations.net_price;
  afterEach(() => jest.restoreAllMocks());

  test.each([
    ['10.0000', 100_001],
    ['10.0000', 1_000_000],
    ['9.9999', 100_000],
    ['-10.0000', 100_001],
    ['0.0001', 2],
  ])('throws if a list price of %s becomes %i ten-thousandths', (listPrice, wrong) => {
    jest.spyOn(Math, 'floor').mockReturnValue(wrong);
    expect(() => netPrice(listPrice, '10')).toThrow(InvariantViolation);
  });

  test('is counted once for each exception', () => expect(violations.net_price).toBe(before + 5));

  test('does not throw if it equals the list price', () => {
    jest.spyOn(Math, 'floor').mockReturnValue(100_000);
    expect(netPrice('10.0000', '10')).toBe('10.0000');
  });
});

describe('netPrice agrees with long multiplication', () => {
  const random = randomNumbers(20_260_401);
  const pick = (limit: number) => Math.floor(random() * limit);
  const decimal = (wholeBelow: number) => `${pick(wholeBelow)}.${String(pick(10_000)).padStart(4, '0')}`;

  /** Discounts that often lead to ties, and random discounts. */
  const discounts = [() => '50', () => '2.5', () => '12.5', () => `${pick(100)}`, () => decimal(100)];

  test.each([
    ['small prices', () => decimal(10)],
    ['usual prices', () => decimal(10_000)],
    ['prices of 18 digits', () => `${1 + pick(9)}${String(pick(1e6)).padStart(6, '0')}${pick(9)}${decimal(1e6)}`],
  ])('for 2,000 %s', (_, price) => {
    for (let round = 0; round < 2000; round++) {
      const [listPrice, discount] = [price(), discounts[round % discounts.length]!()];
      expect([listPrice, discount, netPrice(listPrice, discount)]).toEqual([
        listPrice,
        discount,
        byLongMultiplication(listPrice, discount),
      ]);
    }
  });
});

/** Returns a generator of numbers from 0 to 1 that are the same in each run (mulberry32). */
function randomNumbers(seed: number): () => number {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Computes the price by long multiplication, digit by digit. It rounds by looking at one digit. */
function byLongMultiplication(listPrice: string, discount: string): string {
  const [factor, price] = [complement(digits(discount)), digits(listPrice)];
  const product = Array.from({ length: factor.length + price.length + 1 }, () => 0);
  for (const [i, a] of factor.entries()) for (const [j, b] of price.entries()) product[i + j]! += a * b;
  // The product has 10 decimals: 4 of the price, 4 of the factor and 2 of the percent. Rounding drops the last 6.
  carry(product);
  const rounded = product.slice(6);
  if (product[5]! >= 5) rounded[0]!++;
  carry(rounded);
  const text = rounded.toReversed().join('');
  return `${text.slice(0, -4).replace(/^0+(?=\d)/, '')}.${text.slice(-4)}`;
}

/** Returns the digits with four decimals, starting with the lowest. */
function digits(text: string): number[] {
  const [whole, fraction = ''] = text.split('.');
  return [...(whole! + fraction.padEnd(4, '0'))].map(Number).toReversed();
}

/** Returns 100.0000 minus the number: the nines' complement plus one. */
function complement(number: number[]): number[] {
  const nines = Array.from({ length: 6 }, (_, index) => 9 - (number[index] ?? 0));
  nines[0]!++;
  carry(nines);
  return nines;
}

/** Carries, so that every place has one digit. */
function carry(places: number[]): void {
  for (let index = 0; index < places.length; index++) {
    const over = Math.floor(places[index]! / 10);
    if (!over) continue;
    places[index]! -= over * 10;
    places[index + 1] = (places[index + 1] ?? 0) + over;
  }
}
