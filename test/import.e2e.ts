import { join } from 'node:path';
import { IMPORT_TABLES } from '../src/import/import-tables.js';
import { tableOf } from '../src/resource/columns.js';
import { cliProcess } from './support/commands.js';
import { importFile, importFiles } from './support/import-files.js';
import { TestDatabase, TestService } from './support/test-service.js';

/** One row of everything that rows refer to, and one that hangs on each. */
const BASE = importFiles({
  'price_lists.csv': [['L', 'List', 'EUR']],
  'warehouses.csv': [['W', 'Warehouse']],
  'products.csv': [
    ['A', 'Anchor', 'Heavy'],
    ['B', 'Bell'],
  ],
  'product_images.csv': [['A', '1', 'a.jpg', 'true']],
  'prices.csv': [['L', 'A', '10.5', '6', '', 'yes']],
  'stock.csv': [['W', 'A', '5', '2027-01-15']],
  'customers.csv': [['C', 'Customer', 'L', 'W', '10']],
});

let database: TestDatabase;
beforeEach(async () => void (database = await TestDatabase.create()));
afterEach(() => database.drop());

type Rows = Record<string, unknown>[];

/** Every row of every imported table. */
async function dump(): Promise<Record<string, Rows>> {
  const tables = IMPORT_TABLES.map(({ entity }) => tableOf(entity));
  const rows = await Promise.all(tables.map((table) => database.sql(`SELECT * FROM ${table} ORDER BY 1, 2`)));
  return Object.fromEntries(tables.map((table, index) => [table, rows[index]!]));
}

test('a row of a known key changes that row alone; a file that is missing leaves its data', async () => {
  await database.load(BASE);
  const before = await dump();
  expect(Object.values(before).map((rows) => rows.length)).toEqual([1, 1, 2, 1, 0, 0, 0, 1, 1, 1]);
  const folder = await database.files(
    importFiles({ 'products.csv': [['A', 'Anchor', 'Very heavy']], 'prices.csv': [['L', 'B', '7', '', '', '0']] }),
  );
  expect(await database.cliOk('import', folder)).toMatch(/^file +rows\nproducts.csv +1\nprices.csv +1$/);
  const after = await dump();
  expect(after.prices).toEqual([before.prices![0], expect.objectContaining({ SKU: 'B', MOQ: null })]);
  expect(after.products).toEqual([{ ...before.products![0], Description: 'Very heavy' }, before.products![1]]);
  expect({ ...after, products: 0, prices: 0 }).toEqual({ ...before, products: 0, prices: 0 });
});

test('an empty cell takes a value away', async () => {
  await database.load(BASE);
  await database.load(
    importFiles({
      'products.csv': [['A']],
      'prices.csv': [['L', 'A', '10.5', '', '', 'yes']],
      'stock.csv': [['W', 'A', '5', '']],
      'customers.csv': [['C', '', '', '', '0']],
    }),
  );
  const { products, prices, stock, customers } = await dump();
  expect(products![0]).toMatchObject({ SKU: 'A', Name: null, Description: null });
  expect(prices![0]).toMatchObject({ MOQ: null, OrderMultiple: null });
  expect(stock![0]).toMatchObject({ NextAvailableETA: null });
  expect(customers![0]).toMatchObject({ CustomerName: null, PriceListCode: null, WarehouseCode: null, Active: 1 });
});

test('an import leaves what the file does not hold of a customer: its switch and its keys', async () => {
  await database.load(BASE);
  await database.cliOk('customer', 'set', 'C', '--inactive');
  await database.cliOk('key', 'issue', 'C');
  await database.load(BASE);
  expect(await database.sql('SELECT Active FROM customers')).toEqual([{ Active: 0 }]);
  expect(await database.sql('SELECT ID FROM api_keys')).toHaveLength(1);
});

test.each([
  ['a byte-order mark', '\uFEFFWarehouseCode,WarehouseName\nX,Name\n'],
  ['CRLF', 'WarehouseCode,WarehouseName\r\nX,Name\r\n'],
  ['CR', 'WarehouseCode,WarehouseName\rX,Name\r'],
  ['no line break at the end', 'WarehouseCode,WarehouseName\nX,Name'],
  ['another order of columns', 'WarehouseName,WarehouseCode\nName,X\n'],
  ['spaces around the headers', ' WarehouseCode ,\tWarehouseName \nX,Name\n'],
  ['quotes', '"WarehouseCode","WarehouseName"\n"X","Name"\n'],
  ['blank lines', '\nWarehouseCode,WarehouseName\n\nX,Name\n\n'],
])('a file with %s is read', async (_, text) => {
  await database.load({ 'warehouses.csv': text });
  expect((await dump()).warehouses).toEqual([{ WarehouseCode: 'X', WarehouseName: 'Name' }]);
});

test('a file with a header alone is no error, and changes nothing', async () => {
  await database.load(BASE);
  const before = await dump();
  await database.load(importFiles({ 'products.csv': [], 'prices.csv': [] }));
  expect(await dump()).toEqual(before);
});

/** Text that an import, a placeholder or a dialect of SQL might take for something else. */
const TEXTS = [
  '  spaces around  ',
  'a\nb\r\nc\rd\te',
  '\ttab',
  '😀 𝒳 e\u0301 ﬀ ß',
  `it's "quoted" \`so\``,
  "\\ \\n \\0 \\\\ \\'",
  '100 % _ ? ?? :name $1 {x}',
  `'; DROP TABLE products; -- /* */ #`,
  'NULL',
  '0',
  '-1e5',
  'a,b;c|d',
  'OBSOLETE ',
  'obsolete',
  ' ',
  '\u00A0\u2028\uFEFF',
  '=1+1',
];

test('text is kept to the character, in the database, in answers and through an export', async () => {
  const rows = TEXTS.map((text, index) => ({ SKU: `T-${100 + index}`, Name: text, Description: text, Status: text }));
  await database.load({ ...BASE, 'products.csv': importFile('products.csv', [{ SKU: 'A' }, ...rows]) });
  await database.load(importFiles({ 'prices.csv': rows.map(({ SKU }) => ['L', SKU, '1', '', '', '1']) }));
  const stored = `SELECT SKU, Name, Description, Status FROM products WHERE SKU LIKE 'T-%' ORDER BY SKU`;
  expect(await database.sql(stored)).toEqual(rows);
  expect(await answered('/products')).toEqual([{ SKU: 'A' }, ...rows].map((row) => expect.objectContaining(row)));

  const [folder, original] = [join(database.folder, 'export'), database];
  await original.cliOk('export', folder);
  const exported = await dump();
  database = await TestDatabase.create();
  await database.cliOk('import', folder);
  expect(await dump()).toEqual(exported);
  await original.drop();
});

test('identifiers are trimmed and else kept: zeros before and behind, dots, what looks like a number', async () => {
  const [Barcode, HSCode, StyleCode] = [' 0012 ', '\t00.10', '1e3 '];
  await database.load({ 'products.csv': importFile('products.csv', [{ SKU: ' 007 ', Barcode, HSCode, StyleCode }]) });
  await database.load(importFiles({ 'products.csv': [['7'], ['0007']], 'product_accessories.csv': [['007 ', ' 0 ']] }));
  const { products, product_accessories } = await dump();
  expect(products!.map(({ SKU }) => SKU)).toEqual(['0007', '007', '7']);
  expect(products![1]).toMatchObject({ Barcode: '0012', HSCode: '00.10', StyleCode: '1e3' });
  expect(product_accessories).toEqual([{ SKU: '007', AccessorySKU: '0' }]);
});

test('SKUs that differ in case, accent or composition only are products of their own (decision 7)', async () => {
  const skus = ['ABC-1', 'ABC-1 x', 'A\u0301BC-1', 'abc-1', 'ÁBC-1', 'ábc-1'];
  await database.load({
    ...BASE,
    ...importFiles({
      'products.csv': ['A', ...skus].map((sku) => [sku, `Name of ${sku}`]),
      'prices.csv': skus.map((sku, index) => ['L', ` ${sku} `, `${index + 1}`, '', '', 'no']),
    }),
  });
  const prices = (await answered('/prices')).map(({ SKU, PriceExclVAT }) => [SKU, PriceExclVAT]);
  expect(prices).toEqual(skus.map((sku, index) => [sku, index + 1]));
  const names = (await answered('/products')).map(({ Name, ProductPrices }) => [Name, (ProductPrices as Rows).length]);
  expect(names).toEqual(skus.map((sku) => [`Name of ${sku}`, 1]));
});

test('stock below zero is stored as it is', async () => {
  await database.load({ ...BASE, ...importFiles({ 'stock.csv': [['W', 'A', '-12.5']] }) });
  expect(Number((await dump()).stock![0]!.AvailableQTY)).toBe(-12.5);
});

/** A catalogue of more placeholders and more bytes than one statement can hold. */
function manyProducts(mark: string, order = (rows: string[]) => rows): Record<string, string> {
  const skus = order(Array.from({ length: 3000 }, (_, index) => `P${index}`));
  return importFiles({
    'products.csv': skus.map((sku, index) => [sku, mark, index % 60 ? mark : '😀'.repeat(16_000)]),
    'product_images.csv': skus.flatMap((sku) => ['1', '2'].map((id) => [sku, id, mark, 'no'])),
  });
}

/** How many rows there are of each name. */
const marks = () =>
  database.sql(`SELECT Name AS mark, COUNT(*) AS n FROM products GROUP BY Name
    UNION ALL SELECT FileName, COUNT(*) FROM product_images GROUP BY FileName`);

test('3,000 products with two images each come in by one import', async () => {
  await database.load(manyProducts('x'));
  expect(await marks()).toEqual([
    { mark: 'x', n: 3000 },
    { mark: 'x', n: 6000 },
  ]);
  const long = await database.sql('SELECT SKU FROM products WHERE LENGTH(Description) > 15999');
  expect(long).toHaveLength(50);
});

test('two imports at once both succeed, and leave what one after the other leaves', async () => {
  // In opposite order, so that rows of both are left, or a deadlock comes, where nothing keeps them apart.
  const [x, y] = [manyProducts('x'), manyProducts('y', (rows) => rows.toReversed())];
  const folders = await Promise.all([x, y].map((files) => database.files(files)));
  // Processes of their own: on the embedded database the one that waits blocks its whole process.
  const results = await Promise.all(folders.map((folder) => cliProcess(database, 'import', folder)));
  expect(results).toEqual([1, 2].map(() => ({ code: 0, stdout: expect.stringMatching(/^file /), stderr: '' })));
  const [products, images] = await marks();
  expect([products!.n, images!.n]).toEqual([3000, 6000]);
  expect(products!.mark).toBe(images!.mark);
});

/** What the customer C is answered. */
async function answered(path: string): Promise<Rows> {
  const service = await TestService.start({}, database);
  const text = await service.text(path, await service.token('C'));
  await service.stop();
  return JSON.parse(text) as Rows;
}
