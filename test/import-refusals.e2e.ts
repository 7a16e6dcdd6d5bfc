import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { IMPORT_TABLES } from '../src/import/import-tables.js';
import { tableOf } from '../src/resource/columns.js';
import { type ImportFileName, importFile, importFiles } from './support/import-files.js';
import { TestDatabase } from './support/test-service.js';

let database: TestDatabase;
let before: string;

beforeAll(async () => {
  database = await TestDatabase.create();
  await database.load(
    importFiles({
      'price_lists.csv': [['L', 'List', 'EUR']],
      'warehouses.csv': [['W', 'Warehouse']],
      'products.csv': [['A', 'Anchor']],
      'prices.csv': [['L', 'A', '10.5', '6', '', 'yes']],
      'stock.csv': [['W', 'A', '5', '2027-01-15']],
      'customers.csv': [['C', 'Customer', 'L', 'W', '10']],
    }),
  );
  before = await dump();
});
afterAll(() => database.drop());

async function dump(): Promise<string> {
  const tables = IMPORT_TABLES.map(({ entity }) => tableOf(entity));
  return JSON.stringify(await Promise.all(tables.map((table) => database.sql(`SELECT * FROM ${table} ORDER BY 1, 2`))));
}

/** Rows that are good and would change something, in the file that is read first and in the one that is read last. */
const GOOD = importFiles({
  'price_lists.csv': [
    ['L', 'Changed', 'USD'],
    ['NEW', 'New', 'EUR'],
  ],
  'customers.csv': [['NEW', 'New', 'L', 'W', '0']],
});

/** Imports the files along with good ones. @returns the complaints, once it is sure that nothing was written */
async function refused(files: Record<string, string | Buffer>): Promise<string[]> {
  const folder = await database.files({ ...GOOD, ...(files as Record<string, string>) });
  const { code, stdout, stderr } = await database.cli('import', folder);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  const complaints = stderr.trimEnd().split('\n');
  expect(complaints.pop()).toBe(`Nothing was imported: ${complaints.length} problem(s).`);
  expect(await dump()).toBe(before);
  return complaints;
}

const WAREHOUSES = 'WarehouseCode,WarehouseName';
const HINT = '; the columns are, separated by commas: WarehouseCode,WarehouseName';

test.each<[string, string | Buffer, string[]]>([
  ['an unknown column', `${WAREHOUSES},City\nW,x,y\n`, [`:1: unknown column "City"${HINT}`]],
  ['a missing column', 'WarehouseCode\nW\n', [`:1: missing column WarehouseName${HINT}`]],
  ['a repeated column', `${WAREHOUSES},WarehouseName\nW,x,y\n`, [`:1: repeated column WarehouseName${HINT}`]],
  [
    'headers in another case',
    'WAREHOUSECODE,WarehouseName\nW,x\n',
    [`:1: unknown column "WAREHOUSECODE", missing column WarehouseCode${HINT}`],
  ],
  [
    'semicolons',
    'WarehouseCode;WarehouseName\nW;x\n',
    [
      `:1: unknown column "WarehouseCode;WarehouseName", missing column WarehouseCode, missing column WarehouseName${HINT}`,
    ],
  ],
  ['a header that is not the first line with text', `\n\nCity\n`, [':3: unknown column "City"']],
  ['no content', '', [':1: the file is empty; its first line has to name the columns']],
  ['blank lines alone', '\uFEFF\n\n', [':1: the file is empty']],
  ['a row too short', `${WAREHOUSES}\nW,x\nX\n`, [':3: 1 cells where the first line has 2']],
  ['a row too long', `${WAREHOUSES}\nW,x,y\n`, [':2: 3 cells where the first line has 2']],
  ['a row of one separator', `${WAREHOUSES}\n,\n`, [':2: WarehouseCode is empty, and has to hold a value']],
  [
    'bytes that are no UTF-8',
    Buffer.from(`${WAREHOUSES}\nW,caf\xe9\n`, 'latin1'),
    [':2: this line is not valid UTF-8'],
  ],
  ['a quote that never closes', `${WAREHOUSES}\nW,"x`, [':2: ']],
])('a warehouses.csv with %s', async (_, text, complaints) => {
  expect(await refused({ 'warehouses.csv': text })).toEqual(
    complaints.map((complaint) => expect.stringContaining(`warehouses.csv${complaint}`)),
  );
});

test.each(['warehouse.csv', 'Warehouses.csv', 'warehouses.CSV', 'product-images.csv'])(
  'a file named %s, which no import file is',
  async (name) => {
    expect(await refused({ [name]: `${WAREHOUSES}\nW,x\n` })).toEqual([
      expect.stringContaining(`${name}: no import file has this name; the names are price_lists.csv, warehouses.csv`),
    ]);
  },
);

const product = (cells: Record<string, string>) => importFile('products.csv', [{ SKU: 'N', ...cells }]);
const EMPTY = 'is empty, and has to hold a value';
const UNKNOWN = 'is unknown: it is neither stored nor in the files';

test.each<[string, ImportFileName, string | string[][], string]>([
  // Identifiers
  ['a row without a key', 'products.csv', product({ SKU: ' ', Name: 'x' }), `SKU ${EMPTY}`],
  ['a row without the second part of its key', 'product_images.csv', [['A', '', 'a.jpg', '1']], `ImageID ${EMPTY}`],
  ['65 characters', 'products.csv', product({ SKU: 'x'.repeat(65) }), 'SKU has 65 characters, 64 is the most'],
  ['65 emoji', 'products.csv', product({ Status: '😀'.repeat(65) }), 'Status has 65 characters, 64 is the most'],
  ['256 characters', 'products.csv', product({ Name: 'é'.repeat(256) }), 'Name has 256 characters, 255 is the most'],
  ['2,049 characters', 'products.csv', product({ Photo: 'x'.repeat(2049) }), 'Photo has 2049 characters, 2048 is'],
  [
    '65,536 bytes',
    'products.csv',
    product({ Description: '€'.repeat(21_846) }),
    'Description has 65538 bytes, 65535 is',
  ],
  ['a Customer Code with a space', 'customers.csv', [['A B', '', '', '', '0']], 'CustomerCode "A B" is not a code'],
  ['a currency that is none', 'price_lists.csv', [['L', '', 'Euro']], 'CurrencyCode "Euro" is not a currency code'],
  ['no currency', 'price_lists.csv', [['L']], `CurrencyCode ${EMPTY}`],
  // References
  ['unknown SKU', 'product_images.csv', [['X', '1', '', '']], `SKU "X" ${UNKNOWN}`],
  ['unknown SKU', 'product_accessories.csv', [['X', 'A']], `SKU "X" ${UNKNOWN}`],
  ['unknown SKU', 'product_substitutions.csv', [['X', 'A']], `SKU "X" ${UNKNOWN}`],
  ['unknown SKU', 'product_composition.csv', [['X', 'PES']], `SKU "X" ${UNKNOWN}`],
  ['unknown SKU', 'prices.csv', [['L', 'X', '1', '', '', '1']], `SKU "X" ${UNKNOWN}`],
  ['unknown SKU', 'stock.csv', [['W', 'X', '1']], `SKU "X" ${UNKNOWN}`],
  ['SKU in another case', 'stock.csv', [['W', 'a', '1']], `SKU "a" ${UNKNOWN}`],
  ['unknown price list', 'prices.csv', [['X', 'A', '1', '', '', '1']], `PriceListCode "X" ${UNKNOWN}`],
  ['unknown price list', 'customers.csv', [['C', '', 'X', '', '0']], `PriceListCode "X" ${UNKNOWN}`],
  ['unknown warehouse', 'stock.csv', [['X', 'A', '1']], `WarehouseCode "X" ${UNKNOWN}`],
  ['unknown warehouse', 'customers.csv', [['C', '', '', 'X', '0']], `WarehouseCode "X" ${UNKNOWN}`],
  // Numbers, flags and days
  ['empty price', 'prices.csv', [['L', 'A', '', '', '', '1']], `Price ${EMPTY}`],
  ['empty eligibility', 'prices.csv', [['L', 'A', '1', '', '', '']], `DiscountEligible ${EMPTY}`],
  ['other eligibility', 'prices.csv', [['L', 'A', '1', '', '', 'maybe']], 'DiscountEligible "maybe" is neither true'],
  ['empty stock quantity', 'stock.csv', [['W', 'A', ' ']], `AvailableQTY ${EMPTY}`],
  ['empty discount', 'customers.csv', [['C', '', 'L', 'W', '']], `DiscountPercentage ${EMPTY}`],
  ['discount over 100', 'customers.csv', [['C', '', '', '', '100.5']], 'DiscountPercentage "100.5" is more than 100'],
  ['limit of zero', 'customers.csv', [['C', '', '', '', '0', '0']], 'RequestsPerMinute "0" is less than 1'],
  ['decimal comma', 'prices.csv', [['L', 'A', '19,95', '', '', '1']], 'Price "19,95" is not a decimal'],
  ['exponent', 'prices.csv', [['L', 'A', '1', '1e2', '', '1']], 'MOQ "1e2" is not a decimal'],
  ['five decimals', 'prices.csv', [['L', 'A', '1.00001', '', '', '1']], 'Price "1.00001" has more than 4 decimals'],
  ['15 digits', 'prices.csv', [['L', 'A', '9'.repeat(15), '', '', '1']], 'has more than 14 digits before the point'],
  ['price below zero', 'prices.csv', [['L', 'A', '-1', '', '', '1']], 'Price "-1" is less than 0'],
  [
    'fraction of a whole number',
    'products.csv',
    product({ CartonQty: '1.5' }),
    'CartonQty "1.5" is not a whole number',
  ],
  ['day that is none', 'stock.csv', [['W', 'A', '1', '2027-02-30']], 'NextAvailableETA "2027-02-30" is not a day'],
  ['day of another form', 'stock.csv', [['W', 'A', '1', '30/12/2027']], 'NextAvailableETA "30/12/2027" is not a day'],
])('%s in %s: one complaint, with file and line', async (_, name, rows, complaint) => {
  const files = typeof rows === 'string' ? { [name]: rows } : importFiles({ [name]: rows });
  const complaints = await refused(files);
  expect(complaints).toEqual([expect.stringMatching(new RegExp(`^${name}:2: `))]);
  expect(complaints[0]).toContain(complaint);
});

test.each<[string, string[], number[]]>([
  ['twice', ['D', 'E', 'D'], [4]],
  ['three times', ['D', 'D', 'D'], [3, 4]],
  ['but for spaces around', ['D', ' D '], [3]],
])('the same key %s', async (_, codes, lines) => {
  const complaints = await refused(importFiles({ 'warehouses.csv': codes.map((code) => [code, 'x']) }));
  expect(complaints).toEqual(lines.map((line) => `warehouses.csv:${line}: the same key as on line 2`));
});

test('the same key of two columns, and none that is merely joined alike', async () => {
  const rows = [
    ['A', 'b,c'],
    ['A', 'b'],
    ['A', 'B'],
    ['A', 'b'],
  ];
  const complaints = await refused(importFiles({ 'product_accessories.csv': rows }));
  expect(complaints).toEqual(['product_accessories.csv:5: the same key as on line 3']);
});

test('everything that is wrong is listed at once, and nothing twice', async () => {
  const complaints = await refused({
    ...importFiles({
      'price_lists.csv': [
        ['L', '', 'eur'],
        ['P', '', 'EUR'],
      ],
      'prices.csv': [
        ['P', 'N', '1,5', '', '', ''],
        ['P', 'Q', '1', '', '', 'no'],
        ['P', 'N', '1', '', '', 'no'],
      ],
      'customers.csv': [
        ['C', 'line\r\nbreak', 'NONE', 'X', '-1'],
        ['', '', '', '', '0'],
      ],
    }),
    // Wrong, but there: prices of N are not unknown because of it.
    'products.csv': product({ CartonQty: 'many' }),
    'stock.csv': 'WarehouseCode;SKU\n',
    // Not to be read: what it would bring, the warehouse X perhaps, is not held against others.
    'warehouses.csv': Buffer.from(`${WAREHOUSES}\nW,\xff\n`, 'latin1'),
  });
  expect(complaints.map((complaint) => complaint.split(' ').slice(0, 2).join(' '))).toEqual([
    'price_lists.csv:2: CurrencyCode',
    'warehouses.csv:2: this',
    'products.csv:2: CartonQty',
    'prices.csv:2: Price',
    'prices.csv:2: DiscountEligible',
    'prices.csv:3: SKU',
    'prices.csv:4: the',
    'stock.csv:1: unknown',
    'customers.csv:2: PriceListCode',
    'customers.csv:2: DiscountPercentage',
    'customers.csv:4: CustomerCode',
  ]);
});

test.each<[string, (path: string) => void, string]>([
  ['that is missing', () => undefined, 'no such file or directory'],
  ['that is a file', (path) => writeFileSync(path, ''), 'not a directory'],
  ['that is empty', (path) => mkdirSync(path), ': the folder holds no import file; the names are price_lists.csv, '],
])('a folder %s is named', async (what, make, complaint) => {
  const folder = join(database.folder, `folder ${what}`);
  make(folder);
  const { code, stdout, stderr } = await database.cli('import', folder);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toContain(complaint);
  expect(stderr).toContain(folder);
});
