import { importFiles } from './support/import-files.js';
import { refused } from './support/import-outcome.js';
import { latestRuns } from './support/import-runs.js';
import { removeAllRows } from './support/stored-rows.js';
import { TestDatabase } from './support/test-service.js';

let database: TestDatabase;
beforeAll(async () => void (database = await TestDatabase.create()));
beforeEach(async () => {
  await removeAllRows(database);
  await database.load(BASE);
});
afterAll(() => database.drop());

const SKUS = Array.from({ length: 100 }, (_, index) => `S-${String(index).padStart(3, '0')}`);
const LISTS = [
  ['EUR', 'Euro', 'EUR'],
  ['NEW', 'New', 'EUR'],
  ['USD', 'Dollar', 'USD'],
];

/** A price for each SKU on a list, computed from the index of the SKU. */
const prices = (list: string, price: (index: number) => string, eligible = 'yes') =>
  SKUS.map((sku, index) => [list, sku, price(index), '', '', eligible]);

const BASE = importFiles({
  'price_lists.csv': LISTS,
  'warehouses.csv': [['W'], ['V']],
  'products.csv': SKUS.map((sku) => [sku]),
  'prices.csv': [...prices('EUR', () => '10'), ...prices('NEW', () => '10.5'), ...prices('USD', () => '10')],
  'stock.csv': SKUS.flatMap((sku, index) => [
    ['W', sku, index < 10 ? '5' : '0'],
    ['V', sku, index < 9 ? '5' : '0'],
  ]),
  'customers.csv': [
    ['C', 'Customer', 'EUR', 'W', '10'],
    ['D', 'Other', 'EUR', 'W', '10'],
  ],
});

const file = (name: 'prices.csv' | 'stock.csv' | 'customers.csv' | 'price_lists.csv', rows: string[][]) =>
  importFiles({ [name]: rows });
/** Prices of the list EUR. The first `count` prices are `price`. */
const changed = (count: number, price: string) =>
  file(
    'prices.csv',
    prices('EUR', (index) => (index < count ? price : '10')),
  );

describe('the price guard', () => {
  test('accepts a file in which exactly 5 % of the prices change by more than half', async () => {
    await database.load(changed(5, '99'));
    const [run] = await latestRuns(database, 1);
    const histogram = { '0': 95, '50..': 5, '-100..-50': 0 };
    expect(run).toMatchObject({ Outcome: 'imported', PriceChanges: { compared: 100, histogram } });
  });

  test('refuses a file in which more than 5 % change that much, names the largest changes and records the histogram', async () => {
    const [problem, ...others] = await refused(database, changed(6, '0.1'));
    expect(others).toEqual([]);
    expect(problem).toMatch(
      /^prices\.csv: Price: 6 of 100 stored prices would change by more than half \(6\.0 %\), 5 % is the maximum; the largest changes: SKU S-000 on list EUR, line 2: 10 to 0\.1, .*--allow-price-changes$/,
    );
    const [run] = await latestRuns(database, 1);
    expect(run).toMatchObject({ Outcome: 'refused', PriceChanges: { powersOfTen: { '0.01': 6 } } });
    expect(await database.sql("SELECT 1 FROM prices WHERE Price = '0.1'")).toEqual([]);
  });

  test('reports that all prices are 100 times the old ones, and accepts them with the flag', async () => {
    const files = changed(100, '1000');
    expect(await refused(database, files)).toEqual([
      expect.stringContaining('; 100 are 100 times the old price: check the decimal separator and the unit; '),
    ]);
    expect(await refused(database, files, '--dry-run')).toHaveLength(1);
    await database.load(files, '--allow-price-changes');
  });

  test('refuses a list with too many changes, even if they are few for the whole file', async () => {
    const most = [...prices('EUR', () => '10'), ...prices('NEW', () => '10.5')];
    const few = prices('USD', () => '1000').slice(0, 10);
    expect(await refused(database, file('prices.csv', [...most, ...few]))).toEqual([
      expect.stringContaining('Price: 10 of 10 stored prices of list USD would change by more than half'),
    ]);
  });

  test('ignores new prices, fewer than ten prices, and old prices of 0', async () => {
    await database.load(file('prices.csv', prices('EUR', () => '99').slice(0, 9)));
    await database.load(changed(100, '0'), '--allow-price-changes');
    await database.load(changed(100, '77'));
  });
});

describe('the price guard for terms', () => {
  test('refuses another currency for a list', async () => {
    const lists = file('price_lists.csv', [['EUR', 'Euro', 'JPY'], ...LISTS.slice(1)]);
    const [problem] = await refused(database, lists);
    expect(problem).toMatch(
      /^price_lists\.csv:2: CurrencyCode: 100 of 100 prices of list EUR would change by more than half or to another currency .* 10\.0000 EUR to 10\.0000 JPY/,
    );
    await database.load(lists, '--allow-price-changes');
  });

  test.each([
    ['another list with the same prices', 'NEW', '10', false],
    ['another list in another currency', 'USD', '10', true],
    ['a discount that changes by 20 points', 'EUR', '30', false],
    ['a discount that lowers prices by less than half', 'EUR', '40', false],
    ['a discount that lowers prices by more than half', 'EUR', '60', true],
    ['a discount of 100 %', 'EUR', '100', true],
    ['no list', '', '10', false],
  ])('checks %s in a file and in customer set', async (_, list, discount, isRefused) => {
    const customers = file('customers.csv', [
      ['C', 'Customer', list, 'W', discount],
      ['D', 'Other', list, 'W', discount],
    ]);
    const set = ['customer', 'set', 'C', '--price-list', list, '--discount', discount];
    if (!isRefused) {
      await database.load(customers);
      await database.cliOk(...set);
      return;
    }
    const [problem, ...others] = await refused(database, customers);
    expect(others).toEqual([]);
    expect(problem).toMatch(/^customers\.csv:2: PriceListCode: 100 of 100 net prices of customer C and of 1 more /);
    const { code, stderr } = await database.cli(...set);
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/^Nothing was changed: 100 of 100 net prices of customer C/),
    ]);
    expect(await database.cliOk('customer', 'show', 'C')).toMatch(/DiscountPercentage +10\n/);
    await database.cliOk(...set, '--allow-price-changes');
    await database.load(customers, '--allow-price-changes');
  });

  test('compares a file of prices and customers with the state before the import', async () => {
    const files = importFiles({
      'prices.csv': prices('NEW', () => '14'),
      'customers.csv': [['C', 'Customer', 'NEW', 'W', '10']],
    });
    await database.load(files);
    const more = importFiles({
      'prices.csv': prices('EUR', () => '14.5'),
      'customers.csv': [['C', 'Customer', 'EUR', 'W', '60']],
    });
    expect(await refused(database, more)).toEqual([expect.stringContaining('12.6000 to 5.8000')]);
  });

  test('ignores the discount for prices that are not discount-eligible', async () => {
    await database.load(
      file(
        'prices.csv',
        prices('EUR', () => '10', 'no'),
      ),
    );
    await database.cliOk('customer', 'set', 'C', '--discount', '90');
  });
});

const zero = (warehouse: string) =>
  file(
    'stock.csv',
    SKUS.map((sku) => [warehouse, sku, '0']),
  );

describe('the stock guard', () => {
  test('refuses a file that empties a warehouse, and accepts it with the flag', async () => {
    const message = 'warehouse W has stock of 10 products and would have none';
    expect(await refused(database, zero('W'))).toEqual([expect.stringContaining(`stock.csv: ${message}`)]);
    await database.load(zero('W'), '--allow-zero-stock');
    await database.load(zero('W'));
  });

  test('accepts a file that empties a warehouse with stock of fewer than ten products', () => database.load(zero('V')));

  test('accepts a file that leaves stock of one product', async () => {
    await database.load(
      file(
        'stock.csv',
        SKUS.map((sku, index) => ['W', sku, index === 50 ? '1' : '0']),
      ),
    );
    await database.load(
      file(
        'stock.csv',
        SKUS.slice(0, 50).map((sku) => ['W', sku, '-1']),
      ),
    );
  });

  test('refuses --replace with a file that lacks the rows with stock', async () => {
    const rest = file(
      'stock.csv',
      SKUS.slice(10).map((sku) => ['W', sku, '0']),
    );
    expect(await refused(database, rest, '--replace')).toEqual([expect.stringContaining('stock.csv: warehouse W has')]);
    await database.cliOk('import', '--replace', '--allow-zero-stock', await database.files(rest));
  });
});
