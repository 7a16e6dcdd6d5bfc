import { importFiles } from './support/import-files.js';
import { TestService } from './support/test-service.js';

let service: TestService;
beforeAll(async () => {
  service = await TestService.start();
  await service.database.load(BASE);
});
afterAll(() => service.close());

const product = (sku: string, name = '', barcode = '', photo = '', status = '') => {
  const cells = Array.from({ length: 29 }, () => '');
  [cells[0], cells[1], cells[9], cells[10], cells[23]] = [sku, name, barcode, photo, status];
  return cells as string[];
};
const price = (list: string, sku: string, amount = '10.10') => [list, sku, amount, '1', '', 'yes'];

const BASE = importFiles({
  'price_lists.csv': [
    ['L', 'List', 'EUR'],
    ['EMPTY', 'Nothing', 'EUR'],
  ],
  'warehouses.csv': [['W']],
  'products.csv': [
    product('A', 'Anchor', '4006381333931', 'a.jpg'),
    product('B', '', '4006381333931'),
    product('C', 'Candle', '', '', 'OBSOLETE'),
    product('D', 'Drum'),
  ],
  'product_images.csv': [['B', '1', 'b.jpg']],
  'prices.csv': [price('L', 'A', '12345678901234.5678'), price('L', 'B'), price('L', 'C')],
  'stock.csv': [['W', 'A', '1']],
  'customers.csv': [['CUSTOMER', '', 'L', 'W', '0']],
});
const CHANGE = importFiles({
  'price_lists.csv': [['ADDED', 'Added', 'EUR']],
  'products.csv': [product('A', 'Anchor, large', '', 'a.jpg'), product('B', 'Bell', '', '', 'OBSOLETE'), product('E')],
  'prices.csv': [price('L', 'A', '12345678901234.5679'), price('ADDED', 'A'), price('L', 'E')],
});

test('a dry run shows each price list and one product before and after the import (issue 17)', async () => {
  const { database } = service;
  const folder = await database.files(CHANGE);
  const token = await service.token('CUSTOMER');
  const before = await service.text('/products', token);
  const text = await database.cliOk('import', '--dry-run', '--json', folder);
  const { preview } = JSON.parse(text) as { preview: { priceLists: unknown[]; sample: object } };
  expect(await service.text('/products', token)).toBe(before);

  const lacks = { withoutName: 0, withoutPicture: 0, withoutBarcode: 0, withoutStock: 0 };
  const none = { visible: 0, hiddenByStatus: 0, ...lacks };
  expect(preview.priceLists).toEqual([
    {
      priceList: 'ADDED',
      before: null,
      after: { ...lacks, visible: 1, hiddenByStatus: 0, withoutPrice: 2, withoutBarcode: 1 },
    },
    { priceList: 'EMPTY', before: { ...none, withoutPrice: 3 }, after: { ...none, withoutPrice: 3 } },
    {
      priceList: 'L',
      before: { ...lacks, visible: 2, hiddenByStatus: 1, withoutPrice: 1, withoutName: 1, withoutStock: 1 },
      after: {
        visible: 2,
        hiddenByStatus: 2,
        withoutPrice: 1,
        withoutName: 1,
        withoutPicture: 1,
        withoutBarcode: 2,
        withoutStock: 1,
      },
    },
  ]);
  expect(preview.sample).toMatchObject({ sku: 'E', customerCode: 'CUSTOMER', priceList: 'L', before: null });
});

test('the previewed product has the same bytes as in /products, before and after the import', async () => {
  const { database } = service;
  const files = importFiles({ 'prices.csv': [price('L', 'A', '12345678901234.5679')] });
  const folder = await database.files(files);
  const token = await service.token('CUSTOMER');
  // Two products are visible. A is the first.
  const first = async () => (await service.text('/products', token)).slice(1).split(',{"SKU":"B"')[0]!;
  const old = await first();
  const text = await database.cliOk('import', '--dry-run', '--json', folder);
  expect(() => JSON.parse(text) as unknown).not.toThrow();
  const plain = await database.cliOk('import', '--dry-run', folder);
  expect(await first()).toBe(old);
  await database.cliOk('import', folder);
  const now = await first();
  expect(now).not.toBe(old);
  expect(text).toContain(`"before": ${old},\n      "after": ${now}\n`);
  expect(plain).toContain(`\nGET /products, SKU A, customer CUSTOMER:\n  before: ${old}\n  after:  ${now}\n`);
  expect(plain).toContain('\nPrice changes of 1 stored prices: 1 by 0..5 %\n');
});

test('a dry run without changes shows no product, and leaves no lock', async () => {
  const { database } = service;
  const { preview, priceChanges } = JSON.parse(
    await database.cliOk(
      'import',
      '--dry-run',
      '--json',
      await database.files({ 'warehouses.csv': BASE['warehouses.csv']! }),
    ),
  ) as Record<string, Record<string, unknown> | null>;
  expect([preview!.sample, priceChanges]).toEqual([null, undefined]);
  await database.cliOk('customer', 'set', 'CUSTOMER', '--name', 'Renamed');
});
