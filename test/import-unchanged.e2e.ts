import { compareCodePoints } from '../src/assortment/key-order.js';
import { IMPORT_TABLES } from '../src/import/import-tables.js';
import { BASE, importFile, importFiles } from './support/import-files.js';
import { imported } from './support/import-outcome.js';
import { removeAllRows } from './support/stored-rows.js';
import { engine, TestDatabase } from './support/test-service.js';

// Triggers record every write, independently of the reported counts.

let database: TestDatabase;
beforeAll(async () => {
  database = await TestDatabase.create();
  await database.sql([
    'CREATE TABLE written (entry varchar(99) NOT NULL)',
    ...IMPORT_TABLES.flatMap(({ name }) => ['INSERT', 'UPDATE', 'DELETE'].map((event) => trigger(name, event))),
  ]);
});
beforeEach(() => removeAllRows(database));
afterAll(() => database.drop());

function trigger(table: string, event: string): string {
  const body = `INSERT INTO written VALUES ('${event} ${table}')`;
  const head = `CREATE TRIGGER ${table}_${event} AFTER ${event} ON ${table} FOR EACH ROW`;
  return engine === 'sqlite' ? `${head} BEGIN ${body}; END` : `${head} ${body}`;
}

/** Imports files. @returns the number of times that each trigger fired, such as `{ 'UPDATE stock': 3 }` */
async function written(files: Record<string, string>, ...options: string[]): Promise<Record<string, number>> {
  await database.sql('DELETE FROM written');
  await imported(database, files, ...options);
  const rows = await database.sql('SELECT entry, COUNT(*) AS n FROM written GROUP BY entry');
  return Object.fromEntries(rows.map(({ entry, n }) => [entry, Number(n)]));
}

/** Rows with every kind of value, and rows without optional values. */
const FILES = {
  ...BASE,
  'products.csv': importFile('products.csv', [
    { SKU: 'A', Name: ' Anchor ', Description: 'a\r\nb', Barcode: '007', CartonQty: '24', CartonWeight_in_g: '12.5' },
    { SKU: 'B', Name: '😀 é', Status: 'OBSOLETE ', PackagedLength_in_cm: '0', CartonQty: '0', HSCode: '1E3' },
    { SKU: 'C' },
  ]),
  ...importFiles({
    'product_images.csv': [
      ['A', '1', 'a.jpg', 'true'],
      ['A', '2', 'b.jpg', 'false'],
      ['A', '3'],
    ],
    'product_accessories.csv': [['A', 'B']],
    'product_substitutions.csv': [['A', 'B']],
    'product_composition.csv': [['A', 'PES', 'Polyester', '99.9999']],
    'prices.csv': [
      ['L', 'A', '1.5', '6', '0.0001', 'yes'],
      ['L', 'B', '99999999999999.9999', '', '', 'no'],
    ],
    'stock.csv': [
      ['W', 'A', '5', '2027-01-15'],
      ['W', 'B', '-0.5', ''],
    ],
    'customers.csv': [
      ['C', 'Customer', 'L', 'W', '33.3333', '60', '3600'],
      ['D', '', '', '', '0'],
    ],
  }),
};

test('the triggers record every inserted row', async () => {
  expect(await written(FILES)).toEqual({
    'INSERT price_lists': 1,
    'INSERT warehouses': 1,
    'INSERT products': 3,
    'INSERT product_images': 3,
    'INSERT product_accessories': 1,
    'INSERT product_substitutions': 1,
    'INSERT product_composition': 1,
    'INSERT prices': 2,
    'INSERT stock': 2,
    'INSERT customers': 2,
  });
});

test.each([[[]], [['--replace']]])('importing the same files again writes nothing: %j', async (options) => {
  await database.load(FILES);
  expect(await written(FILES, ...options)).toEqual({});
});

test('importing an export of the same database writes nothing', async () => {
  await database.load(FILES);
  const folder = await database.files({});
  await database.cliOk('export', folder);
  await database.sql('DELETE FROM written');
  await database.cliOk('import', '--replace', folder);
  expect(await database.sql('SELECT * FROM written')).toEqual([]);
});

test('equal values in another notation write nothing', async () => {
  await database.load(FILES);
  const respelled = {
    ...importFiles({
      'price_lists.csv': [['\tL ', 'List', ' EUR']],
      'product_images.csv': [
        [' A', '1 ', 'a.jpg', 'YES'],
        ['A', '2', 'b.jpg', ' 0 '],
        ['A', '3', '', ' '],
      ],
      'prices.csv': [
        ['L', 'A', ' 1.50 ', '6.000', '00.00010', '1'],
        ['L ', 'B', '099999999999999.99990', ' ', '', 'FALSE'],
      ],
      'stock.csv': [
        ['W', 'A', '5.0', ' 2027-01-15 '],
        ['W', 'B', '-000.50', '  '],
      ],
      'customers.csv': [
        [' C ', 'Customer', 'L', ' W', '33.33330', '060', ' 3600'],
        ['D', '', ' ', '', '-0.0'],
      ],
    }),
    'products.csv': importFile('products.csv', [
      { SKU: 'B', Name: '😀 é', Status: 'OBSOLETE ', PackagedLength_in_cm: '0.00', CartonQty: '-0', HSCode: ' 1E3' },
      {
        SKU: 'A ',
        Name: ' Anchor ',
        Description: 'a\r\nb',
        Barcode: ' 007',
        CartonQty: '024',
        CartonWeight_in_g: '12.50',
      },
    ]),
  };
  expect(await written(respelled)).toEqual({});
});

test.each([
  ['Name', ' Anchor '.trim()],
  ['Name', ' ANCHOR '],
  ['Name', ' Ánchor '],
  ['Description', 'a\nb'],
  ['Barcode', '7'],
  ['Barcode', ''],
  ['CartonQty', '25'],
  ['CartonQty', ''],
  ['CartonWeight_in_g', '12.5001'],
  ['Gender', 'Unisex'],
  ['ProductCompositionText', ' '],
])('changing only %s to %j writes one row', async (column, value) => {
  const row = {
    SKU: 'A',
    Name: ' Anchor ',
    Description: 'a\r\nb',
    Barcode: '007',
    CartonQty: '24',
    CartonWeight_in_g: '12.5',
  };
  await database.load({ 'products.csv': importFile('products.csv', [row]) });
  const files = { 'products.csv': importFile('products.csv', [{ ...row, [column]: value }]) };
  expect(await written(files)).toEqual({ 'UPDATE products': 1 });
  expect(await written(files)).toEqual({});
});

test('only the changed rows of 2,500 are written, each once', async () => {
  const products = Array.from({ length: 2500 }, (_, index) => `P${index}`);
  const stock = (quantity: (index: number) => string) =>
    importFiles({ 'stock.csv': products.map((sku, index) => ['W', sku, quantity(index)]) });
  await database.load({
    ...importFiles({ 'warehouses.csv': [['W']], 'products.csv': products.map((sku) => [sku]) }),
    ...stock(() => '1'),
  });
  const changed = stock((index) => (index % 50 === 7 ? '2.0' : '1.00'));
  expect(await written(changed)).toEqual({ 'UPDATE stock': 50 });
  // One row is removed, the next one is changed, and one is added at the end. Each is one write.
  const rows = changed['stock.csv']!.split('\n').filter((row) => !row.startsWith('W,P1000,'));
  const mixed = { 'stock.csv': rows.join('\n').replace('W,P1001,1.00', 'W,P1001,3') };
  await database.load(importFiles({ 'products.csv': [['NEW']] }));
  mixed['stock.csv'] += `${rows[1]!.replace('W,P0,', 'W,NEW,')}\n`;
  expect(await written(mixed, '--replace')).toEqual({ 'UPDATE stock': 1, 'INSERT stock': 1, 'DELETE stock': 1 });
});

/** Code points, UTF-16 code units and languages each order these beginnings in another way. */
const BEGINNINGS = ['a', 'A', '_', 'é', 'z ', '\u{FF5E}', '\u{1F600}'];
const SKUS = Array.from({ length: 2500 }, (_, index) => `${BEGINNINGS[index % 7]}P${index}`).toSorted(
  compareCodePoints,
);
/** Batches of the first 20 products have few products, and further batches have many. */
const IMAGES = SKUS.flatMap((sku, index) =>
  Array.from({ length: index < 20 ? 100 : 1 }, (_, image) => [sku, `${BEGINNINGS[image % 7]}${image}`, 'a.jpg']),
);

test.each<[string, (rows: string[][]) => string[][]]>([
  ['that is sorted', (rows) => rows],
  ['that is sorted in the opposite order', (rows) => rows.toReversed()],
  [
    'that is not sorted',
    (rows) => rows.toSorted(([one], [other]) => compareCodePoints(one!.slice(-2), other!.slice(-2))),
  ],
  ['that contains two of three rows', (rows) => rows.filter((_, index) => index % 3)],
  ['that contains one of twenty rows', (rows) => rows.filter((_, index) => index % 20 === 3)],
])('finds the stored rows of a file %s', async (_, select) => {
  await database.load(importFiles({ 'products.csv': SKUS.map((sku) => [sku]), 'product_images.csv': IMAGES }));
  const products = select(SKUS.map((sku) => [sku]));
  const images = select(IMAGES).map((row, index) => (index % 100 === 7 ? [...row.slice(0, 2), 'b.jpg'] : row));
  const changed = images.filter(([, , file]) => file === 'b.jpg').length;
  const files = importFiles({ 'products.csv': products, 'product_images.csv': images });
  expect(await imported(database, files)).toEqual({
    products: `+0 ~0 =${products.length} -0`,
    product_images: `+0 ~${changed} =${images.length - changed} -0`,
  });
});

test('a dry run writes nothing', async () => {
  await database.load(FILES);
  const changed = importFiles({ 'warehouses.csv': [['W', 'Changed'], ['X']], 'products.csv': [['A'], ['N']] });
  expect(await written(changed, '--dry-run', '--replace', '--allow-removals')).toEqual({});
});
