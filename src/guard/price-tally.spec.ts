import { PriceTally } from './price-tally.js';

type Pairs = (readonly [old: string, price: string, times: number])[];

/** A tally of pairs of an old and a new price, each repeated `times` times. */
function tallyOf(...pairs: Pairs): PriceTally {
  const tally = new PriceTally();
  for (const [old, price, times] of pairs)
    for (let time = 0; time < times; time++) tally.add(old, price, () => `SKU ${old}`);
  return tally;
}

const problem = (...pairs: Pairs) => tallyOf(...pairs).problem('stored prices');

describe('the limit of 5 % for changes by more than half', () => {
  test.each([
    ['exactly 5 %', 5, 95, false],
    ['more than 5 %', 6, 94, true],
    ['one of 20', 1, 19, false],
    ['two of 39', 2, 37, true],
    ['one of 10', 1, 9, true],
    ['all of nine, which are too few to compare', 9, 0, false],
  ])('applies to %s: %d large, %d unchanged, refused: %s', (_, large, unchanged, refused) => {
    expect(problem(['10', '16', large], ['7', '7', unchanged]) !== undefined).toBe(refused);
  });

  test.each([
    ['10', '5', false],
    ['10', '4.9999', true],
    ['10', '15', false],
    ['10', '15.0001', true],
    ['0.0003', '0.0004', false],
    ['0.0003', '0.0005', true],
    ['0.0003', '0.0001', true],
    ['10', '0', true],
    // As many digits as the column stores. As floats, these prices would be equal.
    ['99999999999998', '49999999999999', false],
    ['99999999999998', '49999999999998.9999', true],
    ['66666666666666', '99999999999999', false],
    ['66666666666666', '99999999999999.0001', true],
    ['10', '9.99', false],
  ])('applies to %s to %s, refused: %s', (old, price, refused) => {
    expect(problem([old, price, 10]) !== undefined).toBe(refused);
  });
});

describe('a power of ten', () => {
  test.each([
    ['19.95', '1995', '100'],
    ['19.95', '0.1995', '0.01'],
    ['19.95', '0.2', '0.01'],
    ['19.95', '2', '0.1'],
    ['1', '1000000', '1000000'],
    ['0.0001', '0.001', '10'],
    ['99999999999999', '9999999999999.9', '0.1'],
  ])('is detected: %s to %s is times %s', (old, price, factor) => {
    expect(tallyOf([old, price, 3]).changes.powersOfTen).toEqual({ [factor]: 3 });
    expect(problem([old, price, 10])).toContain(`; 10 are ${factor} times the old price: check the decimal separator`);
  });

  test.each([
    ['19.95', '1996'],
    ['19.95', '0.19'],
    ['19.95', '0'],
    ['10', '16'],
  ])('is not assumed: %s to %s', (old, price) => expect(tallyOf([old, price, 3]).changes.powersOfTen).toEqual({}));

  test('is named in the message only if more than 10 % of the prices change by it', () => {
    expect(problem(['5', '50', 10], ['7', '7', 90])).not.toContain('times the old price');
    expect(problem(['5', '50', 11], ['7', '7', 89])).toContain('; 11 are 10 times the old price');
  });
});

test('counts old prices of 0 separately, whatever the new price is', () => {
  const pairs: Pairs = [
    ['0', '5', 20],
    ['0', '0', 5],
    ['7', '7', 10],
  ];
  expect(tallyOf(...pairs).changes).toMatchObject({ compared: 10, fromZero: 25, histogram: { '0': 10 } });
  expect(problem(...pairs)).toBeUndefined();
});

test('counts each change in one range of the histogram', () => {
  const prices = ['0', '49.99', '50', '79.99', '80', '94', '95', '99', '100', '101', '105', '106', '120', '150', '151'];
  expect(tallyOf(...prices.map((price) => ['100', price, 1] as const)).changes.histogram).toEqual({
    '-100..-50': 2,
    '-50..-20': 2,
    '-20..-5': 2,
    '-5..0': 2,
    '0': 1,
    '0..5': 2,
    '5..20': 2,
    '20..50': 1,
    '50..': 1,
  });
});

test('names the ten largest changes in descending order', () => {
  const tally = new PriceTally();
  for (let number = 1; number <= 12; number++) tally.add('10', String(10 * (number + 1)), () => `SKU ${number}`);
  const message = tally.problem('stored prices')!;
  const named = [...message.matchAll(/SKU (\d+): 10 to (\d+)/g)].map(([, sku]) => Number(sku));
  expect(named).toEqual([12, 11, 10, 9, 8, 7, 6, 5, 4, 3]);
  expect(message).toMatch(/^12 of 12 stored prices would change by more than half \(100\.0 %\), 5 % is the maximum/);
  expect(message).toMatch(/pass --allow-price-changes$/);
});
