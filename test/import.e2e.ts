import { join } from 'node:path';
import { withoutAbsentColumns } from './support/further-fields.js';
import { BASE, importFile, importFiles } from './support/import-files.js';
import { removeAllRows, type Rows, storedRows } from './support/stored-rows.js';
import { TestDatabase, TestService } from './support/test-service.js';

let database: TestDatabase;
beforeAll(async () => void (database = await TestDatabase.create()));
beforeEach(() => removeAllRows(database));
afterAll(() => database.drop());

test('a row with a stored key changes only that row, and tables without a file stay unchanged', async () => {
  await database.load(BASE);
  const before = await storedRows(database);
  const counts = Object.values(before).map((rows) => rows.length);
  expect(counts.filter((count) => count > 0)).toEqual([1, 1, 2, 1, 1, 1, 1]);
  const folder = await database.files(
    importFiles({ 'products.csv': [['A', 'Anchor', 'Very heavy']], 'prices.csv': [['L', 'B', '7', '', '', '0']] }),
  );
  const { code, stdout, stderr } = await database.cli('import', folder);
  expect(code).toBe(0);
  expect(withoutAbsentColumns(stdout).split('\n')).toEqual([
    'table     file          rows  added  changed  unchanged  removed',
    'products  products.csv  1     0      1        0          0',
    'prices    prices.csv    1     1      0        0          0',
    expect.stringMatching(/^Imported 2 rows in \d\.\d s\.$/),
    '',
  ]);
  expect(stderr.split('\n')).toEqual([
    expect.stringMatching(/^products\.csv: 1 rows of products read, \d\.\d s$/),
    expect.stringMatching(/^prices\.csv: 1 rows of prices read, \d\.\d s$/),
    '',
  ]);
  const after = await storedRows(database);
  expect(after.prices).toEqual([before.prices![0], expect.objectContaining({ SKU: 'B', MOQ: null })]);
  expect(after.products).toEqual([{ ...before.products![0], Description: 'Very heavy' }, before.products![1]]);
  expect({ ...after, products: 0, prices: 0 }).toEqual({ ...before, products: 0, prices: 0 });
});

test('an empty cell removes the stored value', async () => {
  await database.load(BASE);
  await database.load(
    importFiles({
      'products.csv': [['A']],
      'prices.csv': [['L', 'A', '10.5', '', '', 'yes']],
      'stock.csv': [['W', 'A', '5', '']],
      'customers.csv': [['C', '', '', '', '0']],
    }),
  );
  const { products, prices, stock, customers } = await storedRows(database);
  expect(products![0]).toMatchObject({ SKU: 'A', Name: null, Description: null });
  expect(prices![0]).toMatchObject({ MOQ: null, OrderMultiple: null });
  expect(stock![0]).toMatchObject({ NextAvailableETA: null });
  expect(customers![0]).toMatchObject({ CustomerName: null, PriceListCode: null, WarehouseCode: null, Active: 1 });
});

test('an import keeps the active flag and the API keys of a customer', async () => {
  await database.load(BASE);
  await database.cliOk('customer', 'set', 'C', '--inactive');
  await database.cliOk('key', 'issue', 'C');
  await database.load(BASE);
  expect(await database.sql('SELECT Active FROM customers')).toEqual([{ Active: 0 }]);
  expect(await database.sql('SELECT ID FROM api_keys')).toHaveLength(1);
});

test.each([
  ['CRLF', 'WarehouseCode,WarehouseName\r\nX,Name\r\n'],
  ['CR', 'WarehouseCode,WarehouseName\rX,Name\r'],
  ['no line break at the end', 'WarehouseCode,WarehouseName\nX,Name'],
  ['another order of columns', 'WarehouseName,WarehouseCode\nName,X\n'],
  ['quotes', '"WarehouseCode","WarehouseName"\n"X","Name"\n'],
  ['blank lines', '\nWarehouseCode,WarehouseName\n\nX,Name\n\n'],
])('reads a file with %s', async (_, text) => {
  await database.load({ 'warehouses.csv': text });
  expect((await storedRows(database)).warehouses).toEqual([{ WarehouseCode: 'X', WarehouseName: 'Name' }]);
});

test('accepts a file that has only a header, and changes nothing', async () => {
  await database.load(BASE);
  const before = await storedRows(database);
  await database.load(importFiles({ 'products.csv': [], 'prices.csv': [] }));
  expect(await storedRows(database)).toEqual(before);
});

/** Texts that an import, a placeholder or an SQL dialect might misinterpret. */
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

test('keeps every character of a text in the database, in responses and in an export', async () => {
  const rows = TEXTS.map((text, index) => ({ SKU: `T-${100 + index}`, Name: text, Description: text, Status: text }));
  await database.load({ ...BASE, 'products.csv': importFile('products.csv', [{ SKU: 'A' }, ...rows]) });
  await database.load(importFiles({ 'prices.csv': rows.map(({ SKU }) => ['L', SKU, '1', '', '', '1']) }));
  const stored = `SELECT SKU, Name, Description, Status FROM products WHERE SKU LIKE 'T-%' ORDER BY SKU`;
  expect(await database.sql(stored)).toEqual(rows);
  expect(await responseTo('/products')).toEqual([{ SKU: 'A' }, ...rows].map((row) => expect.objectContaining(row)));

  const folder = join(database.folder, 'export');
  await database.cliOk('export', folder);
  const exported = await storedRows(database);
  await removeAllRows(database);
  await database.cliOk('import', folder);
  expect(await storedRows(database)).toEqual(exported);
});

test('treats SKUs that differ only in case, accent or composition as different products (decision 7)', async () => {
  const skus = ['ABC-1', 'ABC-1 x', 'A\u0301BC-1', 'abc-1', 'ÁBC-1', 'ábc-1'];
  await database.load({
    ...BASE,
    ...importFiles({
      'products.csv': ['A', ...skus].map((sku) => [sku, `Name of ${sku}`]),
      'prices.csv': skus.map((sku, index) => ['L', ` ${sku} `, `${index + 1}`, '', '', 'no']),
    }),
  });
  const prices = (await responseTo('/prices')).map(({ SKU, PriceExclVAT }) => [SKU, PriceExclVAT]);
  expect(prices).toEqual(skus.map((sku, index) => [sku, index + 1]));
  const names = (await responseTo('/products')).map(({ Name, ProductPrices }) => [
    Name,
    (ProductPrices as Rows).length,
  ]);
  expect(names).toEqual(skus.map((sku) => [`Name of ${sku}`, 1]));
});

test('stores negative stock unchanged', async () => {
  await database.load({ ...BASE, ...importFiles({ 'stock.csv': [['W', 'A', '-12.5']] }) });
  expect(Number((await storedRows(database)).stock![0]!.AvailableQTY)).toBe(-12.5);
});

/** The response to the customer C. */
async function responseTo(path: string): Promise<Rows> {
  const service = await TestService.start({}, database);
  const text = await service.text(path, await service.token('C'));
  await service.stop();
  return JSON.parse(text) as Rows;
}
