import { importFiles } from './support/import-files.js';
import { imported } from './support/import-outcome.js';
import { TestDatabase } from './support/test-service.js';

// The usual collation of a connection takes the first and the last SKU for equal. The collation of the tables does not.
// MariaDB takes `SKU BETWEEN 'ABC' AND 'abc'` for `SKU = 'ABC'`.
const FILES = importFiles({
  'products.csv': ['ABC', 'MID', 'abc'].map((sku) => [sku]),
  'product_images.csv': ['ABC', 'MID', 'abc'].map((sku) => [sku, '1', 'not a name']),
});

let database: TestDatabase;
beforeAll(async () => {
  database = await TestDatabase.create();
  await database.load(FILES);
});
afterAll(() => database.drop());

test('an import builds the document of each product, even if SKUs differ only in case', async () => {
  const { code, stdout } = await database.cli('documents', 'check');
  expect([code, stdout]).toEqual([0, expect.stringContaining('3 product(s): 0 without')]);
});

test('a check of the catalogue reads the images of each product, even if SKUs differ only in case', async () => {
  const { stdout } = await database.cli('catalogue', 'check', '--only', 'picture-name', '--json');
  expect(JSON.parse(stdout)).toMatchObject([{ count: 3 }]);
});

test('an import finds each stored row, even if keys differ only in case', async () => {
  expect(await imported(database, FILES)).toEqual({ products: '+0 ~0 =3 -0', product_images: '+0 ~0 =3 -0' });
});
