import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { TestDatabase } from './support/test-service.js';

let database: TestDatabase;
beforeEach(async () => void (database = await TestDatabase.create()));
afterEach(() => database.drop());

const sample = (name: string) => join('test/samples/cases', name);
const shipped = (system: string) => ['--map', join('mappings', `${system}.yaml`)];

/** Writes a column map. @returns the arguments that use it */
async function map(text: string): Promise<string[]> {
  const folder = await database.files({});
  await writeFile(join(folder, 'map.yaml'), text);
  return ['--map', join(folder, 'map.yaml')];
}
const skuAndName = () => map('products: { columns: { SKU: sku, Name: name, Status: { constant: ACTIVE } } }');

/** The stored products, ordered by SKU. */
const products = (columns: string) => database.sql(`SELECT ${columns} FROM products ORDER BY SKU`);

test.each<[name: string, system: string, columns: string, rows: Record<string, unknown>[]]>([
  [
    '01-shopify-sorted.csv',
    'shopify',
    'Name, Status',
    ['M', 'S'].map((size) => ({ Name: `Cape / ${size}`, Status: 'OBSOLETE' })),
  ],
  ['02-shopify-old-unpublished.csv', 'shopify', 'Status', [{ Status: 'OBSOLETE' }]],
  ['03-magento-enclosed.csv', 'magento2', 'MainColour', [{ MainColour: 'Blue' }]],
  ['04-magento-root-last.csv', 'magento2', 'ProductCategoryCode', [{ ProductCategoryCode: 'Men/Tops' }]],
  ['06-magento-entity-name.csv', 'magento2', 'Name', [{ Name: 'Zing™ Rope & Bag' }]],
  ['07-woo-point-first.csv', 'woocommerce', 'SKU, PackagedWeight_in_g + 0 AS g', [{ SKU: 'T-1', g: 800 }]],
  [
    '08b-woo-child-first-no-stock.csv',
    'woocommerce',
    'SKU, Description, WebsiteDescription, ProductCategoryCode, Photo, PackagedWeight_in_g + 0 AS g',
    [
      {
        SKU: 'H-RED',
        Description: 'short',
        WebsiteDescription: 'long',
        ProductCategoryCode: 'Clothing > Hoodies',
        Photo: 'https://example.com/h.jpg',
        g: 1500,
      },
    ],
  ],
  ['21-shopify-ounces.csv', 'shopify', 'PackagedWeight_in_g + 0 AS g', [{ g: 283.4952 }]],
])('imports %s with the shipped map for %s', async (name, system, columns, rows) => {
  await database.cliOk('import', sample(name), ...shipped(system));
  expect((await products(columns)).map((row) => ({ ...row, ...('g' in row && { g: Number(row.g) }) }))).toEqual(rows);
});

test('a variation that precedes its parent has the stock of the parent (08)', async () => {
  await database.cliOk('import', sample('08-woo-child-first.csv'), ...shipped('woocommerce'));
  const rows = await database.sql('SELECT SKU, AvailableQTY FROM stock');
  expect(rows.map(({ SKU, AvailableQTY }) => [SKU, Number(AvailableQTY)])).toEqual([['H-RED', 7]]);
});

test('six decimals of a price are rounded to four (22)', async () => {
  await database.cliOk('import', sample('22-woo-six-decimals.csv'), ...shipped('woocommerce'));
  expect((await database.sql('SELECT Price FROM prices')).map(({ Price }) => Number(Price))).toEqual([16.5289]);
});

test('a file whose rows are all skipped is refused without --allow-empty (05)', async () => {
  const args = ['import', sample('05-magento-no-base-rows.csv'), ...shipped('magento2')];
  const { code, stderr } = await database.cli(...args);
  expect([code, stderr]).toEqual([
    1,
    expect.stringContaining(
      '05-magento-no-base-rows.csv: the map skips all 2 rows, so there is nothing for products; check that this is the right file',
    ),
  ]);
  expect(await database.sql('SELECT * FROM price_lists')).toEqual([]);
  await database.cliOk(...args, '--allow-empty');
  expect(await products('SKU')).toEqual([]);
});

test('a file with a header and no row is refused without --allow-empty', async () => {
  const folder = await database.files({ 'empty.csv': 'sku,name\n' });
  const args = ['import', join(folder, 'empty.csv'), ...(await skuAndName())];
  const { code, stderr } = await database.cli(...args);
  expect([code, stderr]).toEqual([1, expect.stringContaining('empty.csv: there is no row after the header')]);
  await database.cliOk(...args, '--allow-empty');
});

test.each([
  ['09-windows-1250.csv', 'windows-1250', 'Łódź čřž'],
  ['09-mac-roman.csv', 'macroman', 'Schüssel für Öl'],
])('the problem of %s shows the right decoding first, and --encoding stores it', async (name, encoding, text) => {
  const args = ['import', sample(name), ...(await skuAndName())];
  const { code, stderr } = await database.cli(...args);
  expect(code).toBe(1);
  expect(stderr).toContain(
    `:2: this line is not valid UTF-8; its first affected cell reads "${text}" in ${encoding}; `,
  );
  await database.cliOk(...args, '--encoding', encoding);
  expect(await products('Name')).toEqual([{ Name: text }]);
});

test('an Excel workbook is refused with advice (11)', async () => {
  const { code, stderr } = await database.cli('import', sample('11-workbook.xlsx'), ...(await skuAndName()));
  expect([code, stderr]).toEqual([
    1,
    expect.stringContaining('11-workbook.xlsx:1: this is an Excel workbook (ZIP); save it as "CSV UTF-8" in Excel'),
  ]);
});

test.each([[[]], [['--delimiter', '|']]])(
  'a file with | as delimiter is read with options %j (12)',
  async (options) => {
    await database.cliOk('import', sample('12-pipe.csv'), ...(await skuAndName()), ...options);
    expect(await products('SKU, Name')).toEqual([{ SKU: 'P-1', Name: 'Rope, 3 m' }]);
  },
);

test('missing SKUs are reported once for all tables, with advice on composing one (18)', async () => {
  const { code, stderr } = await database.cli('import', sample('18-shopify-skuless-images.csv'), ...shipped('shopify'));
  expect(code).toBe(1);
  expect(stderr.trimEnd().split('\n').slice(-2)).toEqual([
    '18-shopify-skuless-images.csv:2: Variant SKU (products.SKU): 1 of 2 rows has no SKU, on line 2; set one in ' +
      "the shop, compose one in the column map, such as SKU: [SKU, { join: '-', of: [HEADER, HEADER], shorten: 64 }], or skip " +
      "these rows: skip: { SKU: '' } in products, prices, stock",
    'Nothing was imported: 1 problem(s).',
  ]);
});

test('repeated SKUs are reported once for all tables', async () => {
  const folder = await database.files({ 'a.csv': 'sku,price\nA,1\nB,2\nA,3\nB,4\n' });
  const text = `
products: { columns: { SKU: sku, Status: { constant: ACTIVE } } }
price_lists: { columns: { PriceListCode: { constant: P }, CurrencyCode: { constant: EUR } } }
prices: { columns: { PriceListCode: { constant: P }, SKU: sku, Price: price, DiscountEligible: { constant: 'true' } } }`;
  const { code, stderr } = await database.cli('import', join(folder, 'a.csv'), ...(await map(text)));
  expect(code).toBe(1);
  expect(stderr.trimEnd().split('\n').slice(-2)).toEqual([
    'a.csv:4: sku (products.SKU): 2 of 4 rows repeat the key of an earlier row, on lines 4 (as on 2), 5 (as on 3); make ' +
      "them unique in the shop or in the column map: SKU: { join: '-', of: [sku, HEADER], shorten: 64 }",
    'Nothing was imported: 1 problem(s).',
  ]);
});

test('stored values stay if an optional column is missing', async () => {
  const text =
    'products: { columns: { SKU: sku, Name: { from: name, optional: true }, Status: { from: status, optional: true } } }';
  const load = async (csv: string) => {
    const folder = await database.files({ 'a.csv': csv });
    await database.cliOk('import', join(folder, 'a.csv'), ...(await map(text)));
  };
  await load('sku,name,status\nA,Rope,ACTIVE\n');
  await load('sku,status\nA,OBSOLETE\n');
  expect(await products('SKU, Name, Status')).toEqual([{ SKU: 'A', Name: 'Rope', Status: 'OBSOLETE' }]);
});

test('a parent is found by its SKU, never by an ID with the same number', async () => {
  const folder = await database.files({
    'woo.csv': `ID,Type,SKU,Name,Published,Description,Stock,Regular price,Images,Parent,Upsells,Cross-sells
100,simple,OTHER,Other,0,other,5,9,https://example.com/x.jpg,,,
7,"variable, virtual",100,Parent,1,,,3,,,,
8,variation,V-1,Parent - red,1,,3,4,,100,,
`,
  });
  await database.cliOk('import', join(folder, 'woo.csv'), ...shipped('woocommerce'));
  expect(await products('SKU, WebsiteDescription AS text, Photo, Status')).toEqual([
    { SKU: 'OTHER', text: 'other', Photo: 'https://example.com/x.jpg', Status: 'OBSOLETE' },
    { SKU: 'V-1', text: null, Photo: null, Status: 'ACTIVE' },
  ]);
});

test.each([
  ['Prices of today\n\nsku;name\nA;b\n', ':1: this line has none of the headers that the map names, but line 3 does'],
  ['sep=;\nsku;name\nA;b\n', ':1: this line has none of the headers that the map names, but line 2 does'],
  ['[{"sku":"A"}]', ':1: this is JSON, but a map reads only CSV; export CSV, or convert the file'],
  ['[\n  {"sku":"A"}\n]', ':1: this is JSON, but a map reads only CSV; export CSV, or convert the file'],
  ['sku^name\nA^b\n', ':1: the header is one cell, "sku^name"; name the delimiter with --delimiter, or with file: {'],
  ['sku,name\nA,b,c\n', ':2: 3 cells, but the header has 2; check the separators and quotes'],
])('refuses %j with one problem that names the cause', async (csv, message) => {
  const folder = await database.files({ 'a.csv': csv });
  const { code, stderr } = await database.cli('import', join(folder, 'a.csv'), ...(await skuAndName()));
  expect([code, stderr]).toEqual([1, expect.stringContaining(`a.csv${message}`)]);
  expect(stderr).toContain('Nothing was imported: 1 problem(s).');
});

test('a point in a file with decimal commas is refused, and the message names the key `thousands`', async () => {
  const folder = await database.files({ 'a.csv': 'sku;weight\nA;1.234,5\n' });
  const text =
    "file: { decimal: ',' }\nproducts: { columns: { SKU: sku, PackagedWeight_in_g: weight, Status: { constant: ACTIVE } } }";
  const { code, stderr } = await database.cli('import', join(folder, 'a.csv'), ...(await map(text)));
  expect([code, stderr]).toEqual([1, expect.stringContaining("write thousands: '.' in the map")]);
});
