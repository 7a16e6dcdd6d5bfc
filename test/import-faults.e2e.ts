import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { cells, cliProcess } from './support/commands.js';
import { BASE, importFile, importFiles } from './support/import-files.js';
import { imported, refused } from './support/import-outcome.js';
import { removeAllRows, storedRows } from './support/stored-rows.js';
import { type CommandResult, TestDatabase } from './support/test-service.js';

// Each group covers a kind of damage that the imports of other software have done to the data of their operators.

let database: TestDatabase;
beforeAll(async () => void (database = await TestDatabase.create()));
beforeEach(async () => {
  await removeAllRows(database);
  await database.load(BASE);
});
afterAll(() => database.drop());

const CODE = 'WarehouseCode';
const HEADER = `${CODE},WarehouseName`;
const product = (values: Record<string, string>) => importFile('products.csv', [{ SKU: 'N', ...values }]);
const price = (value: string) => importFiles({ 'prices.csv': [['L', 'B', value, '', '', 'no']] });
const stock = (value: string) => importFiles({ 'stock.csv': [['W', 'B', value]] });
/** A decimal of the row B as a number, because the engines return it in different forms. */
const stored = async (column: string, table: string) =>
  (await database.sql(`SELECT ${column} AS value FROM ${table} WHERE SKU = 'B'`)).map(({ value }) => Number(value));

/** Imports the text as warehouses.csv. @returns the stored name of the warehouse X */
async function nameOfX(text: string, ...options: string[]): Promise<unknown> {
  await database.cliOk('import', ...options, await database.files({ 'warehouses.csv': text }));
  return (await database.sql(`SELECT WarehouseName FROM warehouses WHERE WarehouseCode = 'X'`))[0]?.WarehouseName;
}

describe('a byte-order mark before the first header', () => {
  test.each([
    ['without quotes', `\uFEFF${HEADER}\nX,Name\n`],
    ['before a quote', `\uFEFF"${CODE}","WarehouseName"\nX,Name\n`],
    ['before a blank line', `\uFEFF\n${HEADER}\nX,Name\n`],
    ['of a file with semicolons', `\uFEFF${CODE};WarehouseName\nX;Name\n`],
  ])('is skipped: %s', async (_, text) => {
    expect(await nameOfX(text)).toBe('Name');
  });
});

describe('the delimiter of a file', () => {
  test.each([
    ['semicolons', `${CODE};WarehouseName\nX;Name, with a comma\n`],
    ['tabs', `${CODE}\tWarehouseName\nX\tName, with a comma\n`],
    ['bars', `${CODE}|WarehouseName\nX|Name, with a comma\n`],
    ['commas', `${HEADER}\nX,"Name, with a comma"\n`],
  ])('is detected: %s', async (_, text) => {
    expect(await nameOfX(text)).toBe('Name, with a comma');
  });

  test('is taken from --delimiter', async () => {
    expect(await nameOfX(`${CODE};WarehouseName\nX;Name\n`, '--delimiter', ';')).toBe('Name');
    expect(await nameOfX(`${CODE}\tWarehouseName\nX\tOther\n`, '--delimiter', 'tab')).toBe('Other');
    expect(await nameOfX(`${CODE}^WarehouseName\nX^One, more\n`, '--delimiter', '^')).toBe('One, more');
  });

  test.each([
    ['not one of the detected ones', `${CODE}^WarehouseName\nX^Name\n`, []],
    ['not the one in --delimiter', `${CODE};WarehouseName\nX;Name\n`, ['--delimiter', ',']],
  ])('causes a refusal if it is %s', async (_, text, options) => {
    expect(await refused(database, { 'warehouses.csv': text }, ...options)).toEqual([
      expect.stringMatching(
        /^warehouses\.csv:1: the header is one cell, "WarehouseCode.WarehouseName"; name the delimiter with --delimiter/,
      ),
    ]);
  });
});

describe('a header', () => {
  test('may have spaces around it', async () => {
    expect(await nameOfX(' WarehouseName ,\tWarehouseCode \nName,X\n')).toBe('Name');
  });

  test.each(['WAREHOUSECODE', 'warehousecode'])('may be in any case: %s', async (header) => {
    expect(await nameOfX(`${header},warehouseNAME\nX,Name\n`)).toBe('Name');
  });

  test.each(['Warehouse Code', 'Warehouse_Code'])('is unknown and the right one is suggested: %s', async (header) => {
    expect(await refused(database, { 'warehouses.csv': `${header},WarehouseName\nX,Name\n` })).toEqual([
      expect.stringMatching(`^warehouses\\.csv:1: "?${header}"?: unknown column.*; did you mean ${CODE}?`),
      expect.stringMatching(`^warehouses\\.csv:1: ${CODE}: missing column`),
    ]);
  });
});

describe('an invalid header is refused: a column', () => {
  test.each([
    ['that is repeated', `${HEADER},WarehouseName\nX,a,b\n`, /^warehouses\.csv:1: WarehouseName: repeated column/],
    ['that is unknown', `${HEADER},City\nX,a,b\n`, /^warehouses\.csv:1: "?City"?: unknown column/],
    ['that is missing', 'WarehouseName,\nX,\n', /^warehouses\.csv:1: WarehouseCode: missing column/],
    ['in two spellings', `${HEADER},warehousename\nX,a,b\n`, /^warehouses\.csv:1: warehousename: repeated column/],
    ['without a name', `${HEADER},\nX,a,\n`, /^warehouses\.csv:1: .*\b3\b/],
  ])('%s', async (_, text, problem) => {
    expect(await refused(database, { 'warehouses.csv': text })).toContainEqual(expect.stringMatching(problem));
  });
});

describe('a decimal comma', () => {
  test('is refused without --decimal-comma, and the message names the option', async () => {
    expect(await refused(database, price('19,95'))).toEqual([
      expect.stringMatching(
        /^prices\.csv:2: Price: "19,95" is not a decimal: .*; for decimal commas, pass --decimal-comma/,
      ),
    ]);
    const text = 'PriceListCode;SKU;Price;MOQ;OrderMultiple;DiscountEligible\nL;B;19,95;;;no\n';
    expect(await refused(database, { 'prices.csv': text })).toHaveLength(1);
  });

  test('is read with --decimal-comma', async () => {
    expect(await imported(database, price('19,95'), '--decimal-comma')).toEqual({ prices: '+1 ~0 =0 -0' });
    expect(await stored('Price', 'prices')).toEqual([19.95]);
    await imported(database, stock('-3,5'), '--decimal-comma');
    expect(await stored('AvailableQTY', 'stock')).toEqual([-3.5]);
  });

  test.each(['1.234', '1.234,50', '1,234,5', '19,95,'])('is invalid in %s with --decimal-comma', async (value) => {
    expect(await refused(database, price(value), '--decimal-comma')).toEqual([
      expect.stringContaining(`prices.csv:2: Price: "${value}" has `),
    ]);
  });
});

describe('an empty cell for a price, a quantity or a discount', () => {
  test.each([
    ['prices.csv:2: Price', price('')],
    ['prices.csv:2: Price', price('  ')],
    ['stock.csv:2: AvailableQTY', stock('')],
    ['stock.csv:2: AvailableQTY', stock(' ')],
    ['customers.csv:2: DiscountPercentage', importFiles({ 'customers.csv': [['C', '', 'L', 'W', '']] })],
  ])('is refused instead of stored as 0: %s', async (place, files) => {
    expect(await refused(database, files)).toEqual([`${place}: is empty, but a value is required`]);
  });
});

test('identifiers are trimmed and keep all other characters, leading zeros included', async () => {
  const [Barcode, HSCode, StyleCode] = [' 0012 ', '\t00.10', '1e3 '];
  await database.load({ 'products.csv': importFile('products.csv', [{ SKU: ' 007 ', Barcode, HSCode, StyleCode }]) });
  await database.load(importFiles({ 'products.csv': [['7'], ['0007']], 'product_accessories.csv': [['007 ', ' 0 ']] }));
  const { products, product_accessories } = await storedRows(database);
  expect(products!.map(({ SKU }) => SKU)).toEqual(['0007', '007', '7', 'A', 'B']);
  expect(products![1]).toMatchObject({ Barcode: '0012', HSCode: '00.10', StyleCode: '1e3' });
  expect(product_accessories).toEqual([{ SKU: '007', AccessorySKU: '0' }]);
});

describe('a key that repeats in a file is reported', () => {
  test.each<[string, string[], string]>([
    ['if two rows have it', ['D', 'E', 'D'], `4: ${CODE}: repeats the key of line 2`],
    [
      'once if three rows have it',
      ['D', 'D', 'D'],
      `3: ${CODE}: 2 of 3 rows repeat the key of an earlier row, on lines 3 (as on 2), 4 (as on 2)`,
    ],
    ['if it differs only in surrounding spaces', ['D', ' D '], `3: ${CODE}: repeats the key of line 2`],
  ])('%s', async (_, codes, problem) => {
    const files = importFiles({ 'warehouses.csv': codes.map((code) => [code, 'x']) });
    expect(await refused(database, files)).toEqual([`warehouses.csv:${problem}`]);
  });

  test('if both of its columns are equal, but not if only their joined texts are equal', async () => {
    const rows = [
      ['A', 'b,c'],
      ['A', 'b'],
      ['A', 'B'],
      ['A', 'b'],
    ];
    expect(await refused(database, importFiles({ 'product_accessories.csv': rows }))).toEqual([
      'product_accessories.csv:5: SKU, AccessorySKU: repeats the key of line 3',
    ]);
  });

  test('if the rows are thousands of lines apart', async () => {
    const rows = Array.from({ length: 2500 }, (_, index) => [`P${index}`]);
    expect(await refused(database, importFiles({ 'products.csv': [...rows, ['P3']] }))).toEqual([
      'products.csv:2502: SKU: repeats the key of line 5',
    ]);
  });
});

test.each([
  ['products.csv:2: SKU', { 'products.csv': product({ SKU: ' ', Name: 'x' }) }],
  ['product_images.csv:2: ImageID', importFiles({ 'product_images.csv': [['A', '', 'a.jpg', '1']] })],
  ['stock.csv:2: WarehouseCode', importFiles({ 'stock.csv': [['', 'A', '1']] })],
  ['warehouses.csv:2: WarehouseCode', { 'warehouses.csv': `${HEADER}\n,\n` }],
])('a row without a key is refused: %s', async (place, files) => {
  expect(await refused(database, files)).toEqual([`${place}: is empty, but a value is required`]);
});

test('many rows without a key are one problem', async () => {
  const rows = Array.from({ length: 1842 }, (_, index) => [index % 2 ? `P${index}` : '', 'x', '']);
  expect(await refused(database, importFiles({ 'products.csv': rows }))).toEqual([
    'products.csv:2: SKU: 921 of 1,842 rows have no SKU, first on lines 2, 4, 6',
  ]);
});

test('a row without both parts of its key is reported for each part', async () => {
  expect(await refused(database, importFiles({ 'stock.csv': [['', '', '1']] }))).toEqual([
    'stock.csv:2: WarehouseCode: is empty, but a value is required',
    'stock.csv:2: SKU: is empty, but a value is required',
  ]);
});

describe('a value that is too long is refused on every database, not truncated:', () => {
  test.each([
    ['SKU', 'x'.repeat(65), 'has 65 characters, 64 is the maximum'],
    ['Status', '😀'.repeat(65), 'has 65 characters, 64 is the maximum'],
    ['Name', 'é'.repeat(256), 'has 256 characters, 255 is the maximum'],
    ['Photo', 'x'.repeat(2049), 'has 2049 characters, 2048 is the maximum'],
    ['Description', '€'.repeat(21_846), 'has 65538 bytes, 65535 is the maximum'],
  ])('%s', async (column, value, problem) => {
    const problems = await refused(database, { 'products.csv': product({ [column]: value }) });
    expect(problems).toEqual([`products.csv:2: ${column}: ${problem}`]);
  });

  test('except that values of the maximum length are stored', async () => {
    const values = { SKU: 'x'.repeat(64), Status: '😀'.repeat(64), Name: 'é'.repeat(255), Photo: 'x'.repeat(2048) };
    await database.load({ 'products.csv': product({ ...values, Description: '€'.repeat(21_845) }) });
    const [row] = await database.sql('SELECT * FROM products WHERE SKU = ?', [values.SKU]);
    expect(row).toMatchObject({ ...values, Description: '€'.repeat(21_845) });
  });
});

/** A catalogue with more placeholders and more bytes than one statement may have. */
function manyProducts(mark: string, order = (rows: string[]) => rows): Record<string, string> {
  const skus = order(Array.from({ length: 3000 }, (_, index) => `P${index}`));
  return importFiles({
    'products.csv': skus.map((sku, index) => [sku, mark, index % 60 ? mark : '😀'.repeat(16_000)]),
    'product_images.csv': skus.flatMap((sku) => ['1', '2'].map((id) => [sku, id, mark, 'no'])),
  });
}

/** The number of products and images with each name. */
const marks = () =>
  database.sql(`SELECT Name AS mark, COUNT(*) AS n FROM products WHERE SKU LIKE 'P%' GROUP BY Name
    UNION ALL SELECT FileName, COUNT(*) FROM product_images WHERE SKU LIKE 'P%' GROUP BY FileName`);

test('imports and removes 3,000 products, more than 65,535 placeholders or max_allowed_packet allow at once', async () => {
  expect(await imported(database, manyProducts('x'))).toEqual({
    products: '+3000 ~0 =0 -0',
    product_images: '+6000 ~0 =0 -0',
  });
  expect(await marks()).toEqual([
    { mark: 'x', n: 3000 },
    { mark: 'x', n: 6000 },
  ]);
  const long = await database.sql('SELECT SKU FROM products WHERE LENGTH(Description) > 15999');
  expect(long).toHaveLength(50);
  // The removal exceeds the same limits.
  const none = importFiles({ 'products.csv': [['A', 'Anchor', 'Heavy']], 'product_images.csv': [] });
  expect(await imported(database, none, '--replace', '--allow-removals')).toEqual({
    products: '+0 ~0 =1 -3001',
    product_images: '+0 ~0 =0 -6001',
  });
});

describe('readers never see half of an import:', () => {
  test('readers see the old state during the whole of a failed import', async () => {
    const files = manyProducts('x');
    // The last line of the file that is read last.
    files['product_images.csv'] += 'NOPE,1,,\n';
    const folder = await database.files(files);
    const importing = cliProcess(database, 'import', folder);
    let result: CommandResult | undefined;
    while (!result) {
      expect(await marks()).toEqual([]);
      result = await Promise.race([importing, sleep(20).then(() => undefined)]);
    }
    expect(result).toMatchObject({ code: 1, stdout: '' });
  });

  test('two imports at once both succeed, with the same result as one after the other', async () => {
    // The opposite order of rows would cause a mixture or a deadlock if the imports were not serialized.
    const [x, y] = [manyProducts('x'), manyProducts('y', (rows) => rows.toReversed())];
    const folders = await Promise.all([x, y].map((files) => database.files(files)));
    // Each import has a process of its own, because on the embedded database a waiting import blocks its process.
    const results = await Promise.all(folders.map((folder) => cliProcess(database, 'import', folder)));
    expect(results.map(({ code }) => code)).toEqual([0, 0]);
    const counts = results.map(({ stdout }) => cells(stdout.split('\n').slice(1, 3).join('\n')).map((row) => row[3]));
    expect(counts.toSorted()).toEqual([
      ['0', '0'],
      ['3000', '6000'],
    ]);
    const [products, images] = await marks();
    expect([products!.n, images!.n]).toEqual([3000, 6000]);
    expect(products!.mark).toBe(images!.mark);
  });
});

test('one invalid row of many refuses all rows, with exit code 1', async () => {
  const rows = Array.from({ length: 1200 }, (_, index) => [`P${index}`, 'x']);
  const folder = await database.files(importFiles({ 'products.csv': [...rows, ['BAD', 'x'.repeat(256)]] }));
  const { code, stdout, stderr } = await cliProcess(database, 'import', folder);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(/products\.csv:1202: Name: has 256 .*\nNothing was imported: 1 problem\(s\)\.\n$/);
  expect((await storedRows(database)).products).toHaveLength(2);
});

const UNKNOWN = 'is unknown: it is neither stored nor in the files';

describe('a reference to a row that does not exist is refused:', () => {
  test.each([
    ['product_images.csv', ['X', '1']],
    ['product_accessories.csv', ['X', 'A']],
    ['product_substitutions.csv', ['X', 'A']],
    ['product_composition.csv', ['X', 'PES']],
    ['prices.csv', ['L', 'X', '1', '', '', '1']],
    ['stock.csv', ['W', 'X', '1']],
  ])('an unknown SKU in %s', async (name, row) => {
    expect(await refused(database, importFiles({ [name]: [row] }))).toEqual([`${name}:2: SKU: "X" ${UNKNOWN}`]);
  });

  test.each(['a', '\u00c1', 'A\u0301'])('a SKU that only resembles a known one: %s', async (sku) => {
    expect(await refused(database, importFiles({ 'stock.csv': [['W', sku, '1']] }))).toEqual([
      `stock.csv:2: SKU: "${sku}" ${UNKNOWN}`,
    ]);
  });

  test.each<[string, string, string, string[]]>([
    ['price list', 'prices.csv', 'PriceListCode', ['X', 'A', '1', '', '', '1']],
    ['price list', 'customers.csv', 'PriceListCode', ['C', '', 'X', '', '0']],
    ['warehouse', 'stock.csv', 'WarehouseCode', ['X', 'A', '1']],
    ['warehouse', 'customers.csv', 'WarehouseCode', ['C', '', '', 'X', '0']],
  ])('an unknown %s in %s', async (_, name, column, row) => {
    expect(await refused(database, importFiles({ [name]: [row] }))).toEqual([`${name}:2: ${column}: "X" ${UNKNOWN}`]);
  });

  test('but rows in the same import may be referenced, in any order of the files', async () => {
    const files = importFiles({ 'stock.csv': [['W', 'N', '1']], 'products.csv': [['N']] });
    const folder = await database.files(files);
    await database.cliOk('import', join(folder, 'stock.csv'), join(folder, 'products.csv'));
    expect((await storedRows(database)).stock).toHaveLength(2);
  });
});
