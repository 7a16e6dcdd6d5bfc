import { stringify } from 'csv-stringify/sync';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BASE, COLUMNS, type ImportFileName } from './support/import-files.js';
import { problemsIn } from './support/import-outcome.js';
import { removeAllRows, type Rows, storedRows as rowsOf } from './support/stored-rows.js';
import { TestDatabase } from './support/test-service.js';

// Imports files that lack columns (docs/decisions.md#140).

let database: TestDatabase;
let folder: string;
let before: Record<string, Rows>;
beforeAll(async () => {
  database = await TestDatabase.create();
  folder = mkdtempSync(join(tmpdir(), 'absent-columns-'));
});
beforeEach(async () => {
  await removeAllRows(database);
  await database.load(BASE);
  before = await storedRows(database);
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await database.drop();
});

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

function normalized(value: unknown): unknown {
  if (value instanceof Date) return value.toLocaleDateString('sv');
  return /^\d+\.\d+$/.test(String(value)) ? String(Number(value)) : value;
}

/** All rows, with decimals and dates in the notation of the embedded database. */
async function storedRows(of: TestDatabase): Promise<Record<string, Rows>> {
  const tables = Object.entries(await rowsOf(of));
  return Object.fromEntries(
    tables.map(([table, rows]) => [
      table,
      rows.map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, normalized(value)]))),
    ]),
  );
}

const run = (...args: string[]) => database.cli('import', ...args);

/** Runs an import that succeeds. @returns its output */
async function imported(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await run(...args);
  expect([code, stderr]).toEqual([0, expect.not.stringContaining('Nothing was imported')]);
  return stdout;
}

/** Runs an import that is refused and changes no row. @returns its problems */
async function refused(...args: string[]): Promise<string[]> {
  const { code, stderr } = await run(...args);
  expect(code).toBe(1);
  expect(await storedRows(database)).toEqual(before);
  return problemsIn(stderr);
}

/** For each file, rows that change one value of a stored row and lack optional columns, and the row as then stored. */
const CHANGED: Partial<Record<ImportFileName, [text: string, table: string, row: Record<string, unknown>]>> = {
  'price_lists.csv': [
    'PriceListCode,CurrencyCode\nL,USD\n',
    'price_lists',
    { PriceListName: 'List', CurrencyCode: 'USD' },
  ],
  'products.csv': ['SKU,Theme\nA,Sea\n', 'products', { Name: 'Anchor', Description: 'Heavy', Theme: 'Sea' }],
  'product_images.csv': [
    'SKU,ImageID,FileName\nA,1,b.jpg\n',
    'product_images',
    { FileName: 'b.jpg', IsPrimaryImage: 1 },
  ],
  'prices.csv': [
    'PriceListCode,SKU,Price,DiscountEligible\nL,A,11,yes\n',
    'prices',
    { Price: '11', MOQ: '6', OrderMultiple: null },
  ],
  'stock.csv': [
    'WarehouseCode,SKU,AvailableQTY\nW,A,6\n',
    'stock',
    { AvailableQTY: '6', NextAvailableETA: '2027-01-15' },
  ],
  'customers.csv': [
    'CustomerCode,DiscountPercentage\nC,20\n',
    'customers',
    { CustomerName: 'Customer', PriceListCode: 'L', WarehouseCode: 'W', DiscountPercentage: '20' },
  ],
};

test.each(Object.entries(CHANGED))('rows from %s keep the stored values of absent columns', async (name, given) => {
  const [text, table, row] = given;
  await imported(file(name, text));
  const after = await storedRows(database);
  expect(after[table]![0]).toMatchObject(row);
  expect({ ...after, [table]: after[table]!.slice(1) }).toEqual({ ...before, [table]: before[table]!.slice(1) });
});

test('new rows get null in absent columns', async () => {
  await imported(
    file('products.csv', 'SKU,Status\nNEW,ACTIVE\nA,\n'),
    file('stock.csv', 'WarehouseCode,SKU,AvailableQTY\nW,NEW,1\n'),
    file('warehouses.csv', 'WarehouseCode\nW2\nW\n'),
    file('customers.csv', 'CustomerCode,DiscountPercentage\nC2,0\n'),
  );
  const { products, stock, warehouses, customers } = await storedRows(database);
  const { SKU, Status, ...others } = products!.find((row) => row.SKU === 'NEW')!;
  expect([SKU, Status]).toEqual(['NEW', 'ACTIVE']);
  expect(new Set(Object.values(others))).toEqual(new Set([null]));
  expect(stock!.find((row) => row.SKU === 'NEW')).toMatchObject({ NextAvailableETA: null });
  expect(warehouses).toContainEqual({ WarehouseCode: 'W2', WarehouseName: null });
  expect(warehouses).toContainEqual(before.warehouses![0]);
  expect(customers).toContainEqual(
    expect.objectContaining({ CustomerCode: 'C2', PriceListCode: null, RequestsPerMinute: null, Active: 1 }),
  );
});

test('the summary names the absent columns as text and as JSON', async () => {
  const stock = file('stock.csv', 'WarehouseCode,SKU,AvailableQTY\nW,A,6\n');
  const prices = file('prices.csv', 'PriceListCode,SKU,Price,DiscountEligible\nL,A,11,yes\n');
  expect((await imported(stock, prices, '--dry-run')).split('\n').slice(3, 5)).toEqual([
    expect.stringMatching(
      /^prices: the file has no MOQ, OrderMultiple\b.*\. Stored rows keep their values, new rows have none\.$/,
    ),
    expect.stringMatching(
      /^stock: the file has no NextAvailableETA\b.*\. Stored rows keep their values, new rows have none\.$/,
    ),
  ]);
  const { tables } = JSON.parse(await imported(stock, prices, '--json'));
  expect(tables).toMatchObject([
    { table: 'prices', changed: 1, absentColumns: expect.arrayContaining(['MOQ', 'OrderMultiple']) },
    { table: 'stock', changed: 1, absentColumns: expect.arrayContaining(['NextAvailableETA']) },
  ]);
  const complete = JSON.parse(await imported(file('warehouses.csv', 'WarehouseCode,WarehouseName\nW,x\n'), '--json'));
  expect(complete.tables).toMatchObject([{ absentColumns: [] }]);
});

test('a file with unchanged rows writes nothing', async () => {
  const path = file('products.csv', 'SKU,Name\nA,Anchor\nB,Bell\n');
  const versions = await database.sql('SELECT Version FROM content_versions ORDER BY Part, Code');
  const { tables } = JSON.parse(await imported(path, '--json'));
  expect(tables).toMatchObject([{ added: 0, changed: 0, unchanged: 2 }]);
  expect(await database.sql('SELECT Version FROM content_versions ORDER BY Part, Code')).toEqual(versions);
});

describe('Status', () => {
  test('may be absent if every row of the file is already stored', async () => {
    await database.sql(`UPDATE products SET Status = 'OBSOLETE' WHERE SKU = 'A'`);
    await imported(file('products.csv', 'SKU,Name\nA,Big anchor\nB,Bell\n'));
    const { products } = await storedRows(database);
    expect(products).toMatchObject([{ SKU: 'A', Name: 'Big anchor', Status: 'OBSOLETE' }, { SKU: 'B' }]);
  });

  const MESSAGE =
    'is not stored yet, and the file lacks this column; add it, because it decides whether customers see the product';

  test.each(['', '--replace', '--dry-run'])(
    'must be present if a row is new, and the message names the first new row (option "%s")',
    async (option) => {
      const path = file('products.csv', 'SKU,Name\nA,Big anchor\nNEW-1,x\nB,y\nNEW-2,z\n');
      expect(await refused(path, ...(option ? [option] : []))).toEqual([`products.csv:3: Status: "NEW-1" ${MESSAGE}`]);
    },
  );

  test('must be present if the database is empty', async () => {
    await removeAllRows(database);
    before = await storedRows(database);
    expect(await refused(file('products.csv', 'SKU\nX\n'))).toEqual([`products.csv:2: Status: "X" ${MESSAGE}`]);
  });

  test('must be present if a new row follows the first batch', async () => {
    const stored = Array.from({ length: 2500 }, (_, index) => `P${index}`);
    await imported(file('products.csv', `SKU,Status\n${stored.map((sku) => `${sku},ACTIVE\n`).join('')}`));
    before = await storedRows(database);
    const rows = [...stored, 'NEW'].map((sku) => `${sku},other\n`);
    expect(await refused(file('products.csv', `SKU,Name\n${rows.join('')}`))).toEqual([
      `products.csv:2502: Status: "NEW" ${MESSAGE}`,
    ]);
  });

  test('must be present in JSON files and column maps as well', async () => {
    expect(await refused(file('products.json', '[{"SKU":"A"},\n{"SKU":"NEW"}]'))).toEqual([
      `products.json:2: Status: "NEW" ${MESSAGE}`,
    ]);
    const map = file('map.yaml', 'products: { columns: { SKU: sku, Name: title } }\n');
    expect(await refused(file('shop.csv', 'sku,title\nA,x\nNEW,y\n'), '--map', map)).toEqual([
      `shop.csv:3: Status: "NEW" ${MESSAGE}`,
    ]);
  });
});

test('--replace removes rows, and the other rows keep the values of absent columns', async () => {
  await imported(file('products.csv', 'SKU,Theme\nA,Sea\n'), '--replace', '--allow-removals');
  const { products } = await storedRows(database);
  expect(products).toEqual([{ ...before.products![0], Theme: 'Sea' }]);
});

test('--replace does not remove a price list that a customer references in an absent column', async () => {
  expect(
    await refused(
      file('price_lists.csv', 'PriceListCode,CurrencyCode\nL2,EUR\n'),
      file('customers.csv', 'CustomerCode,DiscountPercentage\nC,10\n'),
      '--replace',
      '--allow-removals',
    ),
  ).toEqual([
    'price_lists.csv: PriceListCode: "L" is not in the file and would be removed, but C in customers references it; change that row first',
  ]);
});

test.each([
  ['a missing key column', 'stock.csv', 'SKU,AvailableQTY\nA,1\n', 'stock.csv:1: WarehouseCode: missing column'],
  ['a missing required column', 'stock.csv', 'WarehouseCode,SKU\nW,A\n', 'stock.csv:1: AvailableQTY: missing column'],
  [
    'a misspelled column',
    'stock.csv',
    'WarehouseCode,SKU,AvailableQTY,NextAvailabelETA\nW,A,1,\n',
    'stock.csv:1: NextAvailabelETA: unknown column; did you mean NextAvailableETA?',
  ],
  [
    'two spellings of a column',
    'warehouses.csv',
    'WarehouseCode,WarehouseName,warehouseNAME\nW,x,y\n',
    'warehouses.csv:1: warehouseNAME: repeated column (also spelt WarehouseName); remove one',
  ],
])('refuses %s', async (_, name, text, problem) => {
  expect(await refused(file(name, text))).toEqual([problem]);
});

test('accepts headers in any case and between spaces', async () => {
  const headers = COLUMNS['stock.csv'].split(',').map((header) => ` ${header.toUpperCase()} `);
  const text = stringify([headers, ['W', 'A', '8', '2027-02-02']]);
  await imported(file('stock.csv', text));
  expect((await storedRows(database)).stock).toMatchObject([{ AvailableQTY: '8', NextAvailableETA: '2027-02-02' }]);
  expect(await database.cli('import', file('stock.csv', 'warehousecode,sku,availableqty\nW,A,x\n'))).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('stock.csv:2: availableqty: "x" is not a decimal'),
  });
});

const products = (...elements: object[]) =>
  file('products.ndjson', elements.map((one) => JSON.stringify(one)).join('\n'));

describe('JSON', () => {
  test('keeps stored values and array rows if no product in the file has the key or the array', async () => {
    const path = products({ SKU: 'A', Theme: 'Sea' }, { SKU: 'B', Theme: null });
    const { tables, notes } = JSON.parse(await imported(path, '--replace', '--json'));
    expect(tables).toMatchObject([{ table: 'products', changed: 1, unchanged: 1, removed: 0 }]);
    expect(tables).toHaveLength(1);
    expect(tables[0].absentColumns).toContain('Status');
    expect(notes).toContain('products.ndjson: no product has ProductImages; product_images stays unchanged');
    const after = await storedRows(database);
    expect(after).toEqual({ ...before, products: [{ ...before.products![0], Theme: 'Sea' }, before.products![1]] });
  });

  test('keeps the stored values of keys that no element of an array has', async () => {
    await imported(products({ SKU: 'A', ProductImages: [{ ImageID: '1', FileName: 'b.jpg' }] }));
    expect((await storedRows(database)).product_images).toMatchObject([{ FileName: 'b.jpg', IsPrimaryImage: 1 }]);
  });

  test('is refused if only some elements have a key, and the message names the element', async () => {
    expect(await refused(products({ SKU: 'A', Theme: 'Sea' }, { SKU: 'B' }))).toEqual([
      'products.ndjson:2: Theme: missing key in SKU "B", but SKU "A" has it; give the key to all elements or to none',
    ]);
    expect(await refused(products({ SKU: 'A' }, { SKU: 'B', ProductImages: [] }))).toEqual([
      'products.ndjson:2: ProductImages: missing key in SKU "A", but SKU "B" has it; give the key to all elements or to none',
    ]);
  });
});

test('an exported folder imports without a change', async () => {
  const path = join(folder, 'export');
  await database.cliOk('export', path);
  const { tables } = JSON.parse(await imported(path, '--replace', '--json'));
  for (const table of tables) expect(table).toMatchObject({ added: 0, changed: 0, removed: 0, absentColumns: [] });
  expect(await storedRows(database)).toEqual(before);
});
