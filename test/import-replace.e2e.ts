import { join } from 'node:path';
import { BASE, COLUMNS, type ImportFileName, importFiles } from './support/import-files.js';
import { imported, refused, signs } from './support/import-outcome.js';
import { removeAllRows, storedRows } from './support/stored-rows.js';
import { TestDatabase } from './support/test-service.js';

let database: TestDatabase;
beforeAll(async () => void (database = await TestDatabase.create()));
beforeEach(() => removeAllRows(database));
afterAll(() => database.drop());

type Files = Partial<Record<ImportFileName, string[][]>>;

const replace = (files: Files, ...options: string[]) => imported(database, importFiles(files), '--replace', ...options);
const replaceAnyway = (files: Files) => replace(files, '--allow-removals');
const refusedToReplace = (files: Files, ...options: string[]) =>
  refused(database, importFiles(files), '--replace', ...options);

/** The keys of a table's rows, their columns joined by a space. */
async function keys(name: ImportFileName): Promise<string[]> {
  const [first, second] = COLUMNS[name].split(',');
  const single = ['products.csv', 'price_lists.csv', 'warehouses.csv', 'customers.csv'].includes(name);
  const rows = (await storedRows(database))[name.replace('.csv', '')]!;
  return rows.map((row) => (single ? String(row[first!]) : `${row[first!]} ${row[second!]}`));
}

/** A row in each table. The tests do not remove these rows. */
const STAYING: Files = {
  'price_lists.csv': [['L1', 'List', 'EUR']],
  'warehouses.csv': [['W1', 'Warehouse']],
  'products.csv': [['A', 'Anchor']],
  'product_images.csv': [['A', '1']],
  'product_accessories.csv': [['A', 'X']],
  'product_substitutions.csv': [['A', 'X']],
  'product_composition.csv': [['A', 'PES']],
  'prices.csv': [['L1', 'A', '1', '', '', 'no']],
  'stock.csv': [['W1', 'A', '1']],
  'customers.csv': [['C1', '', 'L1', 'W1', '0']],
};
/** Another row in each table. It references only other rows of this set. */
const FURTHER: Files = {
  'price_lists.csv': [['L2', 'List', 'EUR']],
  'warehouses.csv': [['W2', 'Warehouse']],
  'products.csv': [['B', 'Bell']],
  'product_images.csv': [['B', '1']],
  'product_accessories.csv': [['B', 'X']],
  'product_substitutions.csv': [['B', 'X']],
  'product_composition.csv': [['B', 'PES']],
  'prices.csv': [['L2', 'B', '1', '', '', 'no']],
  'stock.csv': [['W2', 'B', '1']],
  'customers.csv': [['C2', '', 'L2', 'W2', '0']],
};
/** The tables of these files. */
const TABLES = Object.keys(STAYING).map((file) => file.replace('.csv', ''));
const BOTH = Object.fromEntries(
  Object.entries(STAYING).map(([name, rows]) => [name, [...rows, ...FURTHER[name as ImportFileName]!]]),
) as Files;

describe('rows that are in no file', () => {
  test('are removed from all tables at once, with the same result as an import into an empty database', async () => {
    await database.load(importFiles(STAYING));
    const alone = await storedRows(database);
    await database.load(importFiles(BOTH));
    const counts = await replaceAnyway(STAYING);
    expect(counts).toEqual(Object.fromEntries(TABLES.map((table) => [table, '+0 ~0 =1 -1'])));
    expect(await storedRows(database)).toEqual(alone);
  });

  test.each(['product_images', 'product_accessories', 'product_substitutions', 'product_composition'] as const)(
    'are removed only from %s if that is the only file, including rows of products that stay',
    async (table) => {
      const name: ImportFileName = `${table}.csv`;
      await database.load(importFiles({ ...BOTH, [name]: [...BOTH[name]!, ['A', 'more']] }));
      const before = await storedRows(database);
      expect(await replaceAnyway({ [name]: STAYING[name] })).toEqual({ [table]: '+0 ~0 =1 -2' });
      expect(await storedRows(database)).toEqual({ ...before, [table]: [before[table]![0]] });
    },
  );

  test('stay without --replace', async () => {
    await database.load(importFiles(BOTH));
    const before = await storedRows(database);
    const counts = await imported(database, importFiles(STAYING));
    expect(new Set(Object.values(counts))).toEqual(new Set(['+0 ~0 =1 -0']));
    expect(await storedRows(database)).toEqual(before);
  });

  test('are removed while other rows are added and changed', async () => {
    await database.load(importFiles({ 'products.csv': ['A', 'B', 'C', 'D', 'E', 'F'].map((sku) => [sku, 'old']) }));
    const counts = await replace({
      'products.csv': [['A', 'old'], ['B', 'new'], ['D', 'new'], ['E', 'old'], ['F', 'old'], ['G', 'new'], ['H']],
    });
    expect(counts).toEqual({ products: '+2 ~2 =3 -1' });
    expect(await keys('products.csv')).toEqual(['A', 'B', 'D', 'E', 'F', 'G', 'H']);
  });

  test('are identified by code points, so that similar keys are different rows', async () => {
    await database.load(
      importFiles({ 'products.csv': ['abc', 'ABC', 'ÁBC', 'A\u0301BC', 'abc x'].map((sku) => [sku]) }),
    );
    expect(await replaceAnyway({ 'products.csv': [['ABC'], ['ÁBC']] })).toEqual({ products: '+0 ~0 =2 -3' });
    expect(await keys('products.csv')).toEqual(['ABC', 'ÁBC']);
  });
});

describe('stock and prices', () => {
  const PRODUCTS = ['A', 'B', 'C', 'D', 'E', 'F', 'G', 'H', 'I', 'J'];
  beforeEach(() =>
    database.load(
      importFiles({
        'price_lists.csv': ['L1', 'L2', 'L3'].map((code) => [code, '', 'EUR']),
        'warehouses.csv': ['W1', 'W2', 'W3'].map((code) => [code]),
        'products.csv': PRODUCTS.map((sku) => [sku]),
        'prices.csv': ['L1', 'L2'].flatMap((code) => PRODUCTS.map((sku) => [code, sku, '1', '', '', 'no'])),
        'stock.csv': ['W1', 'W2'].flatMap((code) => PRODUCTS.map((sku) => [code, sku, '1'])),
      }),
    ),
  );

  test('are replaced within the warehouses in the file', async () => {
    const rows = PRODUCTS.slice(2).map((sku) => ['W1', sku, '1']);
    expect(await replace({ 'stock.csv': [...rows, ['W3', 'A', '7']] })).toEqual({ stock: '+1 ~0 =8 -2' });
    expect(await keys('stock.csv')).toEqual([
      ...PRODUCTS.slice(2).map((sku) => `W1 ${sku}`),
      ...PRODUCTS.map((sku) => `W2 ${sku}`),
      'W3 A',
    ]);
  });

  test('are replaced within the price lists in the file', async () => {
    const rows = PRODUCTS.slice(0, 9).map((sku) => ['L2', sku, '2', '', '', 'no']);
    expect(await replace({ 'prices.csv': rows })).toEqual({ prices: '+0 ~9 =0 -1' });
    expect(await keys('prices.csv')).toEqual([
      ...PRODUCTS.map((sku) => `L1 ${sku}`),
      ...PRODUCTS.slice(0, 9).map((sku) => `L2 ${sku}`),
    ]);
  });

  test('stay if the file has no warehouse or price list', async () => {
    expect(await replace({ 'stock.csv': [], 'prices.csv': [] })).toEqual({
      prices: '+0 ~0 =0 -0',
      stock: '+0 ~0 =0 -0',
    });
    expect(await keys('stock.csv')).toHaveLength(20);
  });

  test('are guarded within the warehouses in the file', async () => {
    // The file removes 3 of 10 rows of its warehouse, which are only 3 of 20 rows of the table.
    const rows = PRODUCTS.slice(2).map((sku) => ['W1', sku, '1']);
    expect(await refusedToReplace({ 'stock.csv': rows.slice(1) })).toEqual([
      expect.stringMatching(
        /^stock\.csv: would remove 3 of 10 rows of stock whose WarehouseCode is in the file \(30\.0 %\), 20 % is the maximum; .*--allow-removals$/,
      ),
    ]);
    expect(await replace({ 'stock.csv': rows })).toEqual({ stock: '+0 ~0 =8 -2' });
  });

  test('are guarded within the whole table if rows are removed with their products', async () => {
    const rest = PRODUCTS.slice(1).map((sku) => [sku]);
    // This import removes 2 of 20 stock rows, which is allowed. The last import removes 7 of 25.
    expect(await replace({ 'products.csv': rest })).toEqual({
      products: '+0 ~0 =9 -1',
      prices: '+0 ~0 =0 -2',
      stock: '+0 ~0 =0 -2',
    });
    await database.load(
      importFiles({ 'products.csv': [['A']], 'warehouses.csv': ['W4', 'W5', 'W6', 'W7'].map((c) => [c]) }),
    );
    const stock = ['W1', 'W2', 'W3', 'W4', 'W5', 'W6', 'W7'].map((code) => [code, 'A', '1']);
    await database.load(importFiles({ 'stock.csv': stock }));
    expect(await refusedToReplace({ 'products.csv': rest })).toEqual([
      expect.stringMatching(/^products\.csv: would remove 7 of 25 rows of stock \(28\.0 %\)/),
    ]);
  });
});

describe('rows that reference removed rows by their key are removed and counted', () => {
  beforeEach(() => database.load(importFiles(BOTH)));

  test('if products are removed, and tables without a file lose no other rows', async () => {
    const before = await storedRows(database);
    expect(await replaceAnyway({ 'products.csv': [['A', 'Anchor']] })).toEqual({
      products: '+0 ~0 =1 -1',
      product_images: '+0 ~0 =0 -1',
      product_accessories: '+0 ~0 =0 -1',
      product_substitutions: '+0 ~0 =0 -1',
      product_composition: '+0 ~0 =0 -1',
      prices: '+0 ~0 =0 -1',
      stock: '+0 ~0 =0 -1',
    });
    const after = await storedRows(database);
    const { price_lists, warehouses, customers } = after;
    expect({ price_lists, warehouses, customers }).toEqual({
      price_lists: before.price_lists,
      warehouses: before.warehouses,
      customers: before.customers,
    });
    const others = TABLES.filter((table) => !['price_lists', 'warehouses', 'customers'].includes(table));
    expect(others.map((table) => after[table]!.length)).toEqual(others.map(() => 1));
  });

  test('if price lists or warehouses are removed', async () => {
    await database.cliOk('customer', 'delete', 'C2');
    expect(await replaceAnyway({ 'price_lists.csv': [['L1', 'List', 'EUR']] })).toEqual({
      price_lists: '+0 ~0 =1 -1',
      prices: '+0 ~0 =0 -1',
    });
    expect(await replaceAnyway({ 'warehouses.csv': [['W1', 'Warehouse']] })).toEqual({
      warehouses: '+0 ~0 =1 -1',
      stock: '+0 ~0 =0 -1',
    });
    expect(await keys('products.csv')).toEqual(['A', 'B']);
    expect(await keys('prices.csv')).toEqual(['L1 A']);
    expect(await keys('stock.csv')).toEqual(['W1 A']);
  });

  test('except for rows with a removed product as their accessory or substitute', async () => {
    const rows = [['A', 'B']];
    await database.load(importFiles({ 'product_accessories.csv': rows, 'product_substitutions.csv': rows }));
    await replaceAnyway({ 'products.csv': [['A', 'Anchor']] });
    expect(await keys('product_accessories.csv')).toEqual(['A B', 'A X']);
    expect(await keys('product_substitutions.csv')).toEqual(['A B', 'A X']);
  });

  test('even outside the scope of the file of their table', async () => {
    // The scope of stock.csv is W1. The stock of B is in W2.
    const counts = await replaceAnyway({ 'products.csv': [['A', 'Anchor']], 'stock.csv': [['W1', 'A', '2']] });
    expect(counts).toMatchObject({ stock: '+0 ~1 =0 -1' });
    expect(await keys('stock.csv')).toEqual(['W1 A']);
  });

  test('but their tables are not listed if nothing is removed', async () => {
    const counts = await replace({ 'products.csv': BOTH['products.csv'], 'price_lists.csv': BOTH['price_lists.csv'] });
    expect(counts).toEqual({ price_lists: '+0 ~0 =2 -0', products: '+0 ~0 =2 -0' });
  });
});

describe('a price list or warehouse of a customer', () => {
  beforeEach(() => database.load(importFiles(BOTH)));

  test.each([
    ['price list', 'price_lists.csv', 'PriceListCode', 'L2'],
    ['warehouse', 'warehouses.csv', 'WarehouseCode', 'W2'],
  ] as const)('is not removed even with --allow-removals: %s', async (_, name, column, code) => {
    expect(await refusedToReplace({ [name]: STAYING[name] }, '--allow-removals')).toEqual([
      `${name}: ${column}: "${code}" is not in the file and would be removed, but C2 in customers references it; change that row first`,
    ]);
  });

  test('is removed if the files remove the customer or assign another one', async () => {
    const { 'customers.csv': customers, ...others } = STAYING;
    const moved = [...customers!, ['C2', '', 'L1', '', '0']];
    expect(await replaceAnyway({ ...others, 'customers.csv': moved })).toMatchObject({ customers: '+0 ~1 =1 -0' });
    await database.load(importFiles(BOTH));
    expect(await replaceAnyway(STAYING)).toMatchObject({ customers: '+0 ~0 =1 -1' });
  });
});

describe('a reference to a row that --replace removes', () => {
  beforeEach(() => database.load(importFiles(BOTH)));

  test.each([
    ['products.csv', 'product_images.csv', 'SKU', ['B', '1'], '"B"'],
    ['products.csv', 'product_accessories.csv', 'SKU', ['B', '1'], '"B"'],
    ['products.csv', 'product_substitutions.csv', 'SKU', ['B', '1'], '"B"'],
    ['products.csv', 'product_composition.csv', 'SKU', ['B', '1'], '"B"'],
    ['products.csv', 'prices.csv', 'SKU', ['L1', 'B', '1', '', '', 'no'], '"B"'],
    ['products.csv', 'stock.csv', 'SKU', ['W1', 'B', '1'], '"B"'],
    ['price_lists.csv', 'prices.csv', 'PriceListCode', ['L2', 'A', '1', '', '', 'no'], '"L2"'],
    ['warehouses.csv', 'stock.csv', 'WarehouseCode', ['W2', 'A', '1'], '"W2"'],
    ['price_lists.csv', 'customers.csv', 'PriceListCode', ['C1', '', 'L2', '', '0'], '"L2"'],
    ['warehouses.csv', 'customers.csv', 'WarehouseCode', ['C1', '', '', 'W2', '0'], '"W2"'],
  ] as const)('is refused: %s lacks the row, %s references it by %s', async (parent, child, column, row, code) => {
    const files = { [parent]: STAYING[parent], [child]: [row as unknown as string[]] };
    expect(await refusedToReplace(files, '--allow-removals')).toEqual([
      `${child}:2: ${column}: ${code} is unknown: it is not in the new ${parent.replace('.csv', '')}, and --replace removes the stored ones`,
    ]);
  });

  test('is accepted if its table has no file', async () => {
    expect(
      await replaceAnyway({
        'stock.csv': [
          ['W2', 'A', '1'],
          ['W2', 'B', '1'],
        ],
      }),
    ).toEqual({
      stock: '+1 ~0 =1 -0',
    });
  });
});

const products = (count: number) => Array.from({ length: count }, (_, index) => [`P${index}`]);

describe('the drop guard', () => {
  test.each([
    [10, 8],
    [5, 4],
    [15, 12],
    [1, 1],
  ])('accepts %i rows of which %i remain', async (before, after) => {
    await database.load(importFiles({ 'products.csv': products(before) }));
    expect(await replace({ 'products.csv': products(after) })).toEqual({
      products: `+0 ~0 =${after} -${before - after}`,
    });
  });

  test.each([
    [10, 7, '3 of 10 rows of products (30.0 %)'],
    [14, 11, '3 of 14 rows of products (21.4 %)'],
    [1001, 800, '201 of 1001 rows of products (20.1 %)'],
    [4, 3, '1 of 4 rows of products (25.0 %)'],
    [1, 0, '1 of 1 rows of products (100.0 %)'],
  ])('refuses %i rows of which %i remain, unless --allow-removals is given', async (before, after, share) => {
    await database.load(importFiles({ 'products.csv': products(before) }));
    const files = { 'products.csv': products(after) };
    const problem = `products.csv: would remove ${share}, 20 % is the maximum; if the file is complete, pass --allow-removals`;
    expect(await refusedToReplace(files)).toEqual([problem]);
    expect(await refusedToReplace(files, '--dry-run')).toEqual([problem]);
    expect(await replaceAnyway(files)).toEqual({ products: `+0 ~0 =${after} -${before - after}` });
  });

  test('does not offset removed rows with added rows', async () => {
    await database.load(importFiles({ 'products.csv': products(4) }));
    const added = Array.from({ length: 50 }, (_, index) => [`NEW${index}`]);
    expect(await refusedToReplace({ 'products.csv': [...products(3), ...added] })).toHaveLength(1);
  });

  test('names every table that would lose too many rows', async () => {
    await database.load(importFiles(BOTH));
    const problems = await refusedToReplace({ 'products.csv': [['A']], 'warehouses.csv': BOTH['warehouses.csv'] });
    expect(problems.map((line) => line.replace(/^.* rows of (\w+).*$/, '$1'))).toEqual([
      'products',
      'product_images',
      'product_accessories',
      'product_substitutions',
      'product_composition',
      'prices',
      'stock',
    ]);
  });

  test('refuses a file that was truncated at a line break', async () => {
    await database.load(importFiles({ 'products.csv': products(100) }));
    const whole = importFiles({ 'products.csv': products(100) })['products.csv']!;
    const truncated = whole.slice(0, whole.lastIndexOf('\n', whole.length / 2) + 1);
    expect(await refused(database, { 'products.csv': truncated }, '--replace')).toEqual([
      expect.stringContaining('would remove 5'),
    ]);
  });
});

test('a row of constants from a column map does not remove other rows', async () => {
  await database.load(importFiles(BOTH));
  const folder = await database.files({
    'map.yaml': `
      warehouses: { columns: { WarehouseCode: { constant: W1 }, WarehouseName: { constant: Changed } } }
      stock: { columns: { WarehouseCode: { constant: W1 }, SKU: article, AvailableQTY: number } }`,
    'export.csv': 'article,number\nB,7\n',
  });
  const args = [
    '--json',
    '--replace',
    '--allow-removals',
    '--map',
    join(folder, 'map.yaml'),
    join(folder, 'export.csv'),
  ];
  expect(signs(JSON.parse(await database.cliOk('import', ...args)))).toEqual({
    warehouses: '+0 ~1 =0 -0',
    stock: '+1 ~0 =0 -1',
  });
  expect(await keys('warehouses.csv')).toEqual(['W1', 'W2']);
  expect(await keys('stock.csv')).toEqual(['W1 B', 'W2 B']);
});

/** Standard error without durations. */
const untimed = (stderr: string) => stderr.replaceAll(/[\d.]+ s$/gm, '');

/** Imports a file with price list L1 and customer C2, whose list is L2, after a dry run. @returns the second result */
async function replaceMapped(customer: string): Promise<{ code: number; stderr: string }> {
  await database.load(importFiles(BOTH));
  const folder = await database.files({
    'map.yaml': `
      price_lists: { columns: { PriceListCode: list, CurrencyCode: { constant: EUR } } }
      customers: { columns: { ${customer}, DiscountPercentage: { constant: '5' } } }`,
    'export.csv': 'list,customer\nL1,C2\n',
  });
  const args = ['--replace', '--allow-removals', '--map', join(folder, 'map.yaml'), join(folder, 'export.csv')];
  const [dry, { code, stderr }] = [
    await database.cli('import', '--dry-run', ...args),
    await database.cli('import', ...args),
  ];
  expect({ code: dry.code, stderr: untimed(dry.stderr) }).toEqual({ code, stderr: untimed(stderr) });
  return { code, stderr };
}

describe('a column map that would remove the price list of a customer', () => {
  test('is refused, in a dry run as well, if the map does not set the price list of the customer', async () => {
    const { code, stderr } = await replaceMapped('CustomerCode: customer');
    expect(code).toBe(1);
    expect(stderr).toContain('"L2" is not in the file and would be removed, but C2 in customers references it');
    expect(await keys('price_lists.csv')).toEqual(['L1', 'L2']);
  });

  test.each([
    ['rows of the file', 'CustomerCode: customer, PriceListCode: list'],
    ['constants', 'CustomerCode: { constant: C2 }, PriceListCode: { constant: L1 }'],
  ])('is accepted if the map assigns another price list from %s', async (_, customer) => {
    expect(await replaceMapped(customer)).toMatchObject({ code: 0 });
    expect(await keys('price_lists.csv')).toEqual(['L1']);
  });
});

test('--allow-removals without --replace is refused', async () => {
  const folder = await database.files(BASE);
  expect(await database.cli('import', '--allow-removals', folder)).toEqual({
    code: 1,
    stdout: '',
    stderr: '--allow-removals requires --replace.\n',
  });
  expect(await keys('products.csv')).toEqual([]);
});

test('a file that has only a header empties its table with --allow-removals', async () => {
  await database.load(importFiles(BOTH));
  const none = Object.fromEntries(Object.keys(STAYING).map((name) => [name, []])) as Files;
  expect(await refusedToReplace(none)).not.toEqual([]);
  const counts = await replaceAnyway(none);
  expect(new Set(Object.values(counts))).toEqual(new Set(['+0 ~0 =0 -2']));
  expect(Object.values(await storedRows(database)).flat()).toEqual([]);
});

test('the first import into an empty database may use --replace', async () => {
  const counts = await replace(BOTH);
  expect(counts).toEqual(Object.fromEntries(Object.keys(counts).map((table) => [table, '+2 ~0 =0 -0'])));
  expect(Object.keys(counts)).toHaveLength(10);
});

test('removing a customer removes its API keys and no others', async () => {
  await database.load(importFiles(BOTH));
  for (const code of ['C1', 'C2']) await database.cliOk('key', 'issue', code);
  expect(await replaceAnyway({ 'customers.csv': STAYING['customers.csv'] })).toEqual({ customers: '+0 ~0 =1 -1' });
  expect(await database.sql('SELECT CustomerCode FROM api_keys')).toEqual([{ CustomerCode: 'C1' }]);
});
