import { DATA } from './support/data-endpoints.js';
import { withoutFurtherFields } from './support/further-fields.js';
import { importFile, importFiles } from './support/import-files.js';
import { engine, TestService } from './support/test-service.js';

/** Values that reveal errors: exact decimals, unusual statuses, code points beyond the basic multilingual plane. */
const FILES = {
  ...importFiles({
    'price_lists.csv': [
      ['EUR', 'Euro "list"', 'EUR'],
      ['USD', '', 'USD'],
    ],
    'warehouses.csv': [['EU01'], ['US01']],
    'product_images.csv': [
      ['FULL', 'b', 'b.jpg', 'yes'],
      ['FULL', 'a', '', 'no'],
      ['FULL', 'A', 'c.jpg', ''],
    ],
    'product_accessories.csv': [
      ['FULL', 'Z-nowhere'],
      ['FULL', 'GONE'],
    ],
    'product_substitutions.csv': [
      ['FULL', 'sub-b'],
      ['FULL', 'SUB-A'],
    ],
    'product_composition.csv': [
      ['FULL', 'PES', 'Polyester', '66.6667'],
      ['FULL', 'CO', '', ''],
    ],
    'prices.csv': [
      ['EUR', 'FULL', '10.0751', '0.5', '12', 'true'],
      ['EUR', 'BARE', '2', '', '', 'false'],
      ['EUR', 'GONE', '1', '1', '1', 'true'],
      ['EUR', 'lower', '0.0003', '1', '1', 'true'],
      ['EUR', 'PADDED', '99999.9999', '1', '1', 'true'],
      ['EUR', 'EMPTY-STATUS', '20.1', '1', '1', 'true'],
      ['EUR', '\u{1F383}', '4.0001', '1', '1', 'true'],
      ['EUR', '\uFF5E', '4.0001', '1', '1', 'false'],
      ['USD', 'FULL', '11', '1', '1', 'true'],
      ['USD', 'USD-ONLY', '11', '1', '1', 'true'],
    ],
    'stock.csv': [
      ['EU01', 'FULL', '12.5000', '2027-03-28'],
      ['EU01', 'BARE', '-3', ''],
      ['EU01', 'lower', '0', '2028-02-29'],
      ['EU01', 'GONE', '5', ''],
      ['EU01', 'USD-ONLY', '5', ''],
      ['US01', 'PADDED', '7', ''],
    ],
    'customers.csv': [
      ['HALF', 'Half', 'EUR', 'EU01', '50'],
      ['ODD', 'Odd', 'EUR', 'US01', '33.3333'],
      ['NO-LIST', 'None', '', 'EU01', '0'],
      ['NO-WAREHOUSE', 'None', 'EUR', '', '0'],
    ],
  }),
  'products.csv': importFile('products.csv', [
    {
      SKU: 'FULL',
      Name: 'Wizard’s hat 🎩 "grand"',
      Description: 'two\nlines\tand a tab',
      WebsiteDescription: '<p>é & ü \\ / </p>',
      ProductCategoryCode: 'HATS',
      WashingInstructions: ' kept as is ',
      Gender: 'Unisex',
      Audience: 'Adult',
      MainColour: 'Black',
      Barcode: '0001234567890',
      Photo: 'https://cdn.example.com/full.jpg',
      Theme: 'Magic',
      PackagedLength_in_cm: '32.5000',
      PackagedWidth_in_cm: '24.00',
      PackagedHeight_in_cm: '0.0500',
      PackagedWeight_in_g: '1200',
      CartonLength_in_cm: '60.1234',
      CartonWidth_in_cm: '0',
      CartonHeight_in_cm: '38.5',
      CartonWeight_in_g: '9999999999.9999',
      CartonQty: '24',
      AmazonASIN: 'B000000001',
      CountryOfOrigin: 'CN',
      Status: 'ACTIVE',
      StyleCode: 'ST-1',
      CartonBarcode: '10001234567897',
      HSCode: '0604909100',
      WhatsIncluded: 'Hat',
      ProductCompositionText: '66.6667 % polyester',
    },
    { SKU: 'BARE' },
    { SKU: 'GONE', Status: 'OBSOLETE' },
    { SKU: 'lower', Status: 'obsolete' },
    { SKU: 'PADDED', Status: 'OBSOLETE ' },
    { SKU: 'EMPTY-STATUS', Status: '' },
    { SKU: 'USD-ONLY', Status: 'ACTIVE' },
    { SKU: 'UNPRICED', Status: 'ACTIVE' },
    { SKU: '\u{1F383}', Status: 'Whatever' },
    { SKU: '\uFF5E', Status: 'ACTIVE' },
  ]),
};

let service: TestService;
const tokens: Record<string, string> = {};
beforeAll(async () => {
  service = await TestService.start({ JWT_SECRET: 's'.repeat(40) });
  await service.database.load(FILES);
  for (const code of ['HALF', 'ODD', 'NO-LIST', 'NO-WAREHOUSE']) tokens[code] = await service.token(code);
});
afterAll(() => service.close());

const text = (path: string, customer = 'HALF') => service.text(path, tokens[customer]!);
const rows = async (path: string, customer?: string) => JSON.parse(await text(path, customer)) as Record<string, any>[];
const skus = async (path: string, customer?: string) => (await rows(path, customer)).map(({ SKU }) => SKU);

/** Returns each price of /prices as text, because parsing would hide its spelling. */
const priceTexts = async (customer: string) =>
  [...(await text('/prices', customer)).matchAll(/"SKU":"([^"]+)","PriceExclVAT":([^,]+),/g)].map(
    ([, sku, price]) => `${sku} ${price}`,
  );

const ELIGIBLE = ['BARE', 'EMPTY-STATUS', 'FULL', 'PADDED', 'lower', '\uFF5E', '\u{1F383}'];

test('a product with every field has the expected bytes (interface §2.1–2.6, decisions 1–4)', async () => {
  const full = (await text('/products')).split(/(?<=\}),(?=\{"SKU":"[^"]+","Name")/)[2];
  const expected =
    '{"SKU":"FULL","Name":"Wizard’s hat 🎩 \\"grand\\"","Description":"two\\nlines\\tand a tab",' +
    '"WebsiteDescription":"<p>é & ü \\\\ / </p>","ProductCategoryCode":"HATS","WashingInstructions":" kept as is ",' +
    '"Gender":"Unisex","Audience":"Adult","MainColour":"Black","Barcode":"0001234567890",' +
    '"Photo":"https://cdn.example.com/full.jpg","Theme":"Magic","PackagedLength_in_cm":32.5,"PackagedWidth_in_cm":24,' +
    '"PackagedHeight_in_cm":0.05,"PackagedWeight_in_g":1200,"CartonLength_in_cm":60.1234,"CartonWidth_in_cm":0,' +
    '"CartonHeight_in_cm":38.5,"CartonWeight_in_g":9999999999.9999,"CartonQty":24,"AmazonASIN":"B000000001",' +
    '"CountryOfOrigin":"CN","Status":"ACTIVE","StyleCode":"ST-1","CartonBarcode":"10001234567897",' +
    '"HSCode":"0604909100","WhatsIncluded":"Hat","ProductCompositionText":"66.6667 % polyester",' +
    '"ProductImages":[{"ImageID":"b","FileName":"b.jpg","IsPrimaryImage":true},' +
    '{"ImageID":"A","FileName":"c.jpg","IsPrimaryImage":null},{"ImageID":"a","FileName":null,"IsPrimaryImage":false}],' +
    '"ProductAccessories":[{"AccessorySKU":"GONE"},{"AccessorySKU":"Z-nowhere"}],' +
    '"ProductSubstitutions":[{"SubstituteSKU":"SUB-A"},{"SubstituteSKU":"sub-b"}],' +
    '"ProductComposition":[{"MaterialCode":"CO","MaterialDescription":null,"CompositionPercentage":null},' +
    '{"MaterialCode":"PES","MaterialDescription":"Polyester","CompositionPercentage":66.6667}],' +
    '"ProductPrices":[{"PriceListCode":"EUR","PriceListName":"Euro \\"list\\"","CurrencyCode":"EUR","SKU":"FULL",' +
    '"PriceExclVAT":5.0376,"MOQ":0.5,"OrderMultiple":12}]}';
  expect(withoutFurtherFields(full!, expected)).toBe(expected);
});

test('a product without values has every key, with null or [] (decision 1)', async () => {
  const [bare] = await rows('/products');
  const { SKU, ProductPrices, ...others } = bare!;
  expect(SKU).toBe('BARE');
  expect(Object.keys(bare!)).toEqual(Object.keys((await rows('/products'))[2]!));
  expect(ProductPrices).toEqual([expect.objectContaining({ MOQ: null, OrderMultiple: null })]);
  const { arrays } = JSON.parse(await text('/products/schema')) as { arrays: Record<string, { wireName: string }> };
  const names = new Set(Object.values(arrays).map(({ wireName }) => wireName));
  for (const [key, value] of Object.entries(others)) expect([key, value]).toEqual([key, names.has(key) ? [] : null]);
});

test('elements are ordered by the code points of the SKU (decision 2)', async () => {
  expect(await skus('/products')).toEqual(ELIGIBLE);
  expect(await skus('/prices')).toEqual(ELIGIBLE);
});

test('only the exact status OBSOLETE hides a product, and other statuses keep their spelling (decision 5)', async () => {
  const statuses = Object.fromEntries((await rows('/products')).map(({ SKU, Status }) => [SKU, Status]));
  expect(statuses).toMatchObject({
    lower: 'obsolete',
    PADDED: 'OBSOLETE ',
    'EMPTY-STATUS': null,
    '\u{1F383}': 'Whatever',
  });
});

test('net prices are exact and rounded once, half away from zero, to four decimals (decisions 3, 4)', async () => {
  expect(await priceTexts('HALF')).toEqual([
    'BARE 2.0000',
    'EMPTY-STATUS 10.0500',
    'FULL 5.0376',
    'PADDED 50000.0000',
    'lower 0.0002',
    '\uFF5E 4.0001',
    '\u{1F383} 2.0001',
  ]);
  expect(await priceTexts('ODD')).toEqual([
    'BARE 2.0000',
    'EMPTY-STATUS 13.4000',
    'FULL 6.7167',
    'PADDED 66666.6999',
    'lower 0.0002',
    '\uFF5E 4.0001',
    '\u{1F383} 2.6667',
  ]);
});

test('/prices returns the elements of all ProductPrices of /products (decision 6)', async () => {
  const nested = (await rows('/products')).flatMap(({ ProductPrices }) => ProductPrices);
  expect(nested).toEqual(await rows('/prices'));
});

test("/stock returns eligible SKUs of the customer's warehouse, without negative quantities (interface §2.7, decisions 6, 8, 9)", async () => {
  const ofHalf =
    '[{"SKU":"BARE","StockLocation":"EU01","AvailableQTY":0,"NextAvailableETA":null},' +
    '{"SKU":"FULL","StockLocation":"EU01","AvailableQTY":12.5,"NextAvailableETA":"2027-03-28"},' +
    '{"SKU":"lower","StockLocation":"EU01","AvailableQTY":0,"NextAvailableETA":"2028-02-29"}]';
  expect(withoutFurtherFields(await text('/stock'), ofHalf)).toBe(ofHalf);
  const ofOdd = '[{"SKU":"PADDED","StockLocation":"US01","AvailableQTY":7,"NextAvailableETA":null}]';
  expect(withoutFurtherFields(await text('/stock', 'ODD'), ofOdd)).toBe(ofOdd);
});

test('a data endpoint returns [] for a customer without price list or warehouse (decision 10)', async () => {
  for (const path of DATA) expect(await text(path, 'NO-LIST')).toBe('[]');
  expect(await text('/stock', 'NO-WAREHOUSE')).toBe('[]');
  expect(await skus('/products', 'NO-WAREHOUSE')).toEqual(ELIGIBLE);
});

test('two equal requests return the same bytes, as JSON in UTF-8 (decision 2, interface §1)', async () => {
  for (const path of DATA) {
    const response = await service.get(path, tokens.HALF);
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(await response.text()).toBe(await text(path));
  }
});

test('an imported change is in the next response (interface §4, rule 2)', async () => {
  await service.database.load(importFiles({ 'stock.csv': [['US01', 'PADDED', '6.2500', '2027-01-01']] }));
  expect((await rows('/stock', 'ODD'))[0]).toMatchObject({ AvailableQTY: 6.25, NextAvailableETA: '2027-01-01' });
});

test('responses omit rows whose product another program deleted (decision 6)', async () => {
  const unchecked = engine === 'sqlite' ? 'PRAGMA foreign_keys = OFF' : 'SET FOREIGN_KEY_CHECKS = 0';
  await service.database.sql([unchecked, `DELETE FROM products WHERE SKU = 'lower'`]);
  expect(await service.database.sql(`SELECT SKU FROM prices WHERE SKU = 'lower'`)).toHaveLength(1);
  for (const path of ['/products', '/prices'])
    expect(await skus(path)).toEqual(ELIGIBLE.filter((sku) => sku !== 'lower'));
  expect(await skus('/stock')).toEqual(['BARE', 'FULL']);
});
