import { type ImportFileName, BASE, importFile, importFiles } from './support/import-files.js';
import { imported, refused } from './support/import-outcome.js';
import { TestDatabase } from './support/test-service.js';

// Faults that concern more than one file are in import-faults, import-replace and import-sources.

let database: TestDatabase;
beforeAll(async () => {
  database = await TestDatabase.create();
  await database.load(BASE);
});
afterAll(() => database.drop());

/** Valid rows that would change stored data, in the file that is read first and in the one that is read last. */
const GOOD = importFiles({
  'price_lists.csv': [
    ['L', 'Changed', 'USD'],
    ['NEW', 'New', 'EUR'],
  ],
  'customers.csv': [['NEW', 'New', 'L', 'W', '0']],
});

/** Imports the files along with valid ones and asserts that nothing was written. @returns the problems */
const problems = (files: Record<string, string | Buffer>) => refused(database, { ...GOOD, ...files });

const WAREHOUSES = 'WarehouseCode,WarehouseName';

test.each<[string, string | Buffer, string[]]>([
  ['a header that is not on the first line', `\n\n${WAREHOUSES},City\n`, [':3: ']],
  ['no content', '', [':1: the file is empty; its first line must name the columns']],
  ['only blank lines', '\uFEFF\n\n', [':1: the file is empty']],
  ['a row that is too short', `${WAREHOUSES}\nW,x\nX\n`, [':3: 1 cell']],
  ['a row that is too long', `${WAREHOUSES}\nW,x,y\n`, [':2: 3 cells, but the ']],
  ['invalid UTF-8', Buffer.from(`${WAREHOUSES}\nW,x\nW,caf\xe9\n`, 'latin1'), [':3: this line is not valid ']],
  ['a quote that never closes', `${WAREHOUSES}\nW,"x`, [':2: ']],
])('refuses warehouses.csv with %s', async (_, text, expected) => {
  expect(await problems({ 'warehouses.csv': text })).toEqual(
    expected.map((problem) => expect.stringContaining(`warehouses.csv${problem}`)),
  );
});

const product = (cells: Record<string, string>) => importFile('products.csv', [{ SKU: 'N', ...cells }]);
const price = (...cells: string[]) => importFiles({ 'prices.csv': [['L', 'A', ...cells]] });
const ROUNDED = 'is a number that a spreadsheet rounded; export the column as text';

test.each<[string, ImportFileName, string | string[][], string]>([
  // Codes
  ['a Customer Code with a space', 'customers.csv', [['A B', '', '', '', '0']], 'CustomerCode: "A B" is not a code'],
  ['no currency', 'price_lists.csv', [['L']], 'CurrencyCode: is empty, but a value is required'],
  ['a currency in words', 'price_lists.csv', [['L', '', 'Euro']], 'CurrencyCode: "Euro" is not a currency code'],
  ['a currency in small letters', 'price_lists.csv', [['L', '', 'eur']], 'CurrencyCode: "eur" is not a currency code'],
  ['a currency that does not exist', 'price_lists.csv', [['L', '', 'ABC']], 'CurrencyCode: "ABC" is not a currency'],
  ['E-notation', 'products.csv', product({ Barcode: '4.00638E+12' }), `Barcode: "4.00638E+12" ${ROUNDED}`],
  ['E-notation', 'products.csv', product({ SKU: '1E+15' }), `SKU: "1E+15" ${ROUNDED}`],
  ['E-notation', 'products.csv', product({ HSCode: '9,505900e7' }), `HSCode: "9,505900e7" ${ROUNDED}`],
  ['E-notation', 'products.csv', product({ CartonBarcode: '-1.5E-3' }), `CartonBarcode: "-1.5E-3" ${ROUNDED}`],
  ['E-notation', 'product_accessories.csv', [['A', '4.1E+7']], `AccessorySKU: "4.1E+7" ${ROUNDED}`],
  // Numbers, flags and days
  ['empty eligibility', 'prices.csv', [['L', 'A', '1', '', '', '']], 'DiscountEligible: is empty, but a value'],
  ['other eligibility', 'prices.csv', [['L', 'A', '1', '', '', 'maybe']], 'DiscountEligible: "maybe" is not a boolean'],
  ['discount over 100', 'customers.csv', [['C', '', '', '', '100.5']], 'DiscountPercentage: "100.5" is more than 100'],
  ['discount below 0', 'customers.csv', [['C', '', '', '', '-0.01']], 'DiscountPercentage: "-0.01" is less than 0'],
  ['limit of zero', 'customers.csv', [['C', '', '', '', '0', '0']], 'RequestsPerMinute: "0" is less than 1'],
  ['exponent', 'prices.csv', [['L', 'A', '1', '1e2', '', '1']], 'MOQ: "1e2" is not a decimal'],
  ['five decimals', 'prices.csv', [['L', 'A', '1.00001', '', '', '1']], 'Price: "1.00001" has more than 4 decimals'],
  ['15 digits', 'prices.csv', [['L', 'A', '9'.repeat(15), '', '', '1']], 'has more than 14 digits before the point'],
  ['price below zero', 'prices.csv', [['L', 'A', '-1', '', '', '1']], 'Price: "-1" is less than 0'],
  ['MOQ of zero', 'prices.csv', [['L', 'A', '1', '0', '', '1']], 'MOQ: "0" is less than 0.0001'],
  ['MOQ below zero', 'prices.csv', [['L', 'A', '1', '-6', '', '1']], 'MOQ: "-6" is less than 0.0001'],
  ['OrderMultiple of zero', 'prices.csv', [['L', 'A', '1', '', '0.0', '1']], 'OrderMultiple: "0" is less than 0.0001'],
  [
    'OrderMultiple below zero',
    'prices.csv',
    [['L', 'A', '1', '', '-1', '1']],
    'OrderMultiple: "-1" is less than 0.0001',
  ],
  ['fraction of an item', 'products.csv', product({ CartonQty: '1.5' }), 'CartonQty: "1.5" is not a whole number'],
  ['impossible date', 'stock.csv', [['W', 'A', '1', '2027-02-30']], 'NextAvailableETA: "2027-02-30" is not a valid'],
  [
    'date of another form',
    'stock.csv',
    [['W', 'A', '1', '30/12/2027']],
    'NextAvailableETA: "30/12/2027" is not a valid',
  ],
])('reports one problem with file, line and column: %s in %s', async (_, name, rows, problem) => {
  const files = typeof rows === 'string' ? { [name]: rows } : importFiles({ [name]: rows });
  const reported = await problems(files);
  expect(reported).toEqual([expect.stringContaining(problem)]);
  expect(reported[0]!.startsWith(`${name}:2: `)).toBe(true);
});

test('imports values at the bounds, and values that only resemble E-notation', async () => {
  const files = {
    ...price('0', '0.0001', '0.0001', 'no'),
    'products.csv': product({ SKU: '1E3', StyleCode: '12E4', Barcode: 'E+5', Name: '1.5E+10', Status: '1E+15' }),
    ...importFiles({
      'customers.csv': [['C', '', 'L', 'W', '100', '1', '1']],
      'stock.csv': [['W', 'A', '-99999999999999.9999', '2028-02-29']],
      'price_lists.csv': [['L', 'List', 'CHF']],
    }),
  };
  expect(Object.values(await imported(database, files))).toEqual([
    '+0 ~1 =0 -0',
    '+1 ~0 =0 -0',
    '+0 ~1 =0 -0',
    '+0 ~1 =0 -0',
    '+0 ~1 =0 -0',
  ]);
});

const hex = (code: number) => `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;

/** Rows in groups of three, because the import shows three problems of a kind per column. */
const inThrees = <Row>(rows: readonly Row[]) =>
  Array.from({ length: Math.ceil(rows.length / 3) }, (_, at) => rows.slice(at * 3, at * 3 + 3));

describe('control characters', () => {
  const CONTROLS = [...Array(32).keys(), ...Array.from({ length: 33 }, (_, index) => 0x7f + index)];
  const BREAKS = new Set([0x09, 0x0a, 0x0d]);

  test('are refused in text and named with their positions, except for tab and line breaks', async () => {
    const rows = CONTROLS.map((code) => ({ SKU: `N-${code}`, Name: `ab${String.fromCharCode(code)}c`, Status: 'x' }));
    const good = rows.filter((_, index) => BREAKS.has(CONTROLS[index]!));
    const bad = rows.filter((row) => !good.includes(row));
    const codes = CONTROLS.filter((code) => !BREAKS.has(code));
    for (const [at, some] of inThrees(bad).entries())
      expect(await problems({ 'products.csv': importFile('products.csv', some) })).toEqual(
        some.map(
          (_, index) =>
            `products.csv:${index + 2}: Name: contains the control character ${hex(codes[at * 3 + index]!)} at position 3; remove it`,
        ),
      );
    expect(await imported(database, { 'products.csv': importFile('products.csv', good) })).toEqual({
      products: '+3 ~0 =0 -0',
    });
  });

  test('are refused within a code, tab and line breaks included, and are trimmed around it', async () => {
    const rows = CONTROLS.map((code) => [`N${String.fromCharCode(code)}1`]);
    const reported: string[] = [];
    for (const some of inThrees(rows)) reported.push(...(await problems(importFiles({ 'products.csv': some }))));
    expect(reported.map((problem) => problem.replace(/^products\.csv:\d+: SKU: /, ''))).toEqual(
      CONTROLS.map((code) => `contains the control character ${hex(code)} at position 2; remove it`),
    );
    expect(await imported(database, importFiles({ 'products.csv': [['\t\r\nA\n', 'Anchor', 'Heavy']] }))).toEqual({
      products: '+0 ~0 =1 -0',
    });
  });
});

const images = (...rows: string[][]) => importFiles({ 'product_images.csv': rows });

describe('two primary images of a product', () => {
  const CONFLICT = 'IsPrimaryImage: may be true in one row per SKU, but for A it is already true';

  test('are refused in one file', async () => {
    expect(await problems(images(['A', '1', '', 'true'], ['B', '1', '', 'true'], ['A', '2', '', '1']))).toEqual([
      `product_images.csv:4: ${CONFLICT} on line 2`,
    ]);
  });

  test('are refused if one is in the file and one is stored', async () => {
    expect(await problems(images(['B', '1', '', 'true'], ['A', '2', '', 'yes']))).toEqual([
      `product_images.csv:3: ${CONFLICT} in a stored row that is not in the file: A, 1; add that row with false, or pass --replace`,
    ]);
  });

  test('do not arise if one file moves the flag to another image', async () => {
    const moved = images(['A', '2', 'b.jpg', 'true'], ['A', '1', 'a.jpg', 'false']);
    expect(await imported(database, moved)).toEqual({ product_images: '+1 ~1 =0 -0' });
    const back = images(['A', '2', 'b.jpg', ''], ['A', '1', 'a.jpg', 'true']);
    expect(await imported(database, back)).toEqual({ product_images: '+0 ~2 =0 -0' });
  });

  test('do not arise if --replace removes the stored image', async () => {
    const files = images(['A', '2', 'b.jpg', 'true']);
    expect(await imported(database, files, '--replace', '--allow-removals')).toEqual({
      product_images: '+0 ~1 =0 -1',
    });
    await imported(database, images(['A', '1', 'a.jpg', 'true']), '--replace', '--allow-removals');
  });
});

test('lists all problems at once, each of them once', async () => {
  const reported = await problems({
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
    // The row is invalid, but its SKU is known, so the prices of N are not reported as unknown references.
    'products.csv': product({ CartonQty: 'many' }),
    'stock.csv': 'WarehouseCode;SKU\n',
    // The file cannot be read, so the warehouse X may be in it. References to X are not reported.
    'warehouses.csv': Buffer.from(`${WAREHOUSES}\nW,\xff\n`, 'latin1'),
  });
  expect(reported.map((problem) => problem.split(' ').slice(0, 2).join(' '))).toEqual([
    'price_lists.csv:2: CurrencyCode:',
    'warehouses.csv:2: this',
    'products.csv:2: CartonQty:',
    'prices.csv:2: Price:',
    'prices.csv:2: DiscountEligible:',
    'prices.csv:3: SKU:',
    'prices.csv:4: PriceListCode,',
    'stock.csv:1: AvailableQTY:',
    'customers.csv:2: DiscountPercentage:',
    'customers.csv:2: PriceListCode:',
    'customers.csv:4: CustomerCode:',
  ]);
});

test('names three problems of a kind per column, and counts the others', async () => {
  const tooLong = 'x'.repeat(256);
  const rows = Array.from({ length: 51 }, (_, index) => [`${index}`, tooLong]);
  const folder = await database.files(importFiles({ 'warehouses.csv': [...rows, ['a\u0001', 'x']] }));
  const { code, stderr } = await database.cli('import', folder);
  expect(code).toBe(1);
  expect(stderr.trimEnd().split('\n').slice(-6)).toEqual([
    ...[2, 3, 4].map((line) => `warehouses.csv:${line}: WarehouseName: has 256 characters, 255 is the maximum`),
    'warehouses.csv: WarehouseName: … and 48 more like this, 51 in all',
    'warehouses.csv:53: WarehouseCode: contains the control character U+0001 at position 2; remove it',
    'Nothing was imported: 52 problem(s).',
  ]);
});
