import type { NestExpressApplication } from '@nestjs/platform-express';
import {
  assortment,
  type AssortmentSelection,
  type AssortmentTables,
  lastSkuOf,
} from '../src/assortment/assortment.js';
import { DatabaseService } from '../src/database/database.service.js';
import type { Row } from '../src/database/query.js';
import { InvariantViolation } from '../src/invariants/invariants.js';
import type { CustomerTerms } from '../src/scope/customer-scope.js';
import { importFiles } from './support/import-files.js';
import { startWithApp } from './support/running-app.js';
import type { TestService } from './support/test-service.js';

const TERMS: CustomerTerms = {
  priceList: { code: 'L', name: null, currencyCode: 'EUR' },
  warehouseCode: 'W',
  discountPercentage: '0',
};
// The last two SKUs are in code-point order, which differs from the order of JavaScript: U+FFFD, then U+1F600.
const SKUS = [
  ...Array.from({ length: 40 }, (_, index) => `P-${String(index).padStart(2, '0')}`),
  '\uFFFD',
  '\u{1F600}',
];
const [UNPRICED, OBSOLETE] = ['P-03', 'P-07'];
const DAYS = ['2027-01-09', '2027-01-10', '2027-11-02'];

/** Returns the number of rows of a SKU for each day: none, one, several, or more than a batch. */
const slotsOf = (index: number) => [0, 1, 2, 5, 13][index % 5]!;
const ROWS = SKUS.flatMap((sku, index) =>
  DAYS.flatMap((day) => Array.from({ length: slotsOf(index) }, (_, slot) => [sku, day, slot] as const)),
);
const SEEN = ROWS.filter(([sku]) => sku !== UNPRICED && sku !== OBSOLETE);

let service: TestService;
let app: NestExpressApplication;
beforeAll(async () => {
  ({ service, app } = await startWithApp({ RESPONSE_CACHE_MEGABYTES: '0' }));
  const { database } = service;
  await database.load(
    importFiles({
      'price_lists.csv': [['L', 'List', 'EUR']],
      'warehouses.csv': [['W'], ['OTHER']],
      'products.csv': SKUS.map((sku) => [sku]),
      'prices.csv': SKUS.filter((sku) => sku !== UNPRICED).map((sku) => ['L', sku, '1', '', '', 'true']),
    }),
  );
  await database.sql(`UPDATE products SET Status = 'OBSOLETE' WHERE SKU = ?`, [OBSOLETE]);
  // An endpoint of another team may have several elements for one SKU. `AS` copies the collation of the SKU.
  await database.sql('CREATE TABLE deliveries AS SELECT SKU, SKU AS WarehouseCode FROM products WHERE 1 = 0');
  for (const column of ['Day date', 'Slot integer']) await database.sql(`ALTER TABLE deliveries ADD COLUMN ${column}`);
  await database.sql('CREATE UNIQUE INDEX deliveries_key ON deliveries (WarehouseCode, SKU, Day, Slot)');
  const rows = ROWS.flatMap((row) => ['W', 'OTHER'].map((code) => [code, ...row]));
  const values = rows.map(() => '(?, ?, ?, ?)').join();
  await database.sql(`INSERT INTO deliveries (WarehouseCode, SKU, Day, Slot) VALUES ${values}`, rows.flat());
});
afterAll(() => service.close());

const select = () => 'deliveries.SKU AS SKU, deliveries.Day AS Day, deliveries.Slot AS Slot';
const elements = {
  name: 'deliveries',
  condition: 'deliveries.WarehouseCode = ?',
  parameters: ['W'],
  key: ['Day', 'Slot'],
};

async function readAll(selection: AssortmentSelection): Promise<{ rows: Row[]; batches: number }> {
  const snapshot = await app.get(DatabaseService).snapshot();
  try {
    const rows: Row[] = [];
    let batches = 0;
    for await (const batch of assortment(snapshot, TERMS, selection)) {
      rows.push(...batch);
      batches++;
    }
    return { rows, batches };
  } finally {
    await snapshot.close();
  }
}

async function lastOf(tables: AssortmentTables): Promise<string | undefined> {
  const snapshot = await app.get(DatabaseService).snapshot();
  return lastSkuOf(snapshot, TERMS, tables).finally(() => snapshot.close());
}

// Batches of 1, 2, 3 and 7 rows end at every position within a SKU. 42 products have 504 rows.
test.each([1, 2, 3, 7, 100, SEEN.length, 1000])(
  'assortment returns all rows of all eligible SKUs in batches of %i (decision 151)',
  async (size) => {
    const { rows, batches } = await readAll({ select, elements, batch: () => size });
    expect(rows.map(({ SKU, Day, Slot }) => [SKU, Day, Slot])).toEqual(SEEN);
    expect(batches).toBe(Math.ceil(SEEN.length / size));
  },
);

test('assortment returns one row for each SKU in batches of any size', async () => {
  for (const size of [1, 3, 39, 40, 41]) {
    const { rows } = await readAll({ select: () => 'prices.SKU AS SKU', batch: () => size });
    expect(rows.map(({ SKU }) => SKU)).toEqual(SKUS.filter((sku) => sku !== UNPRICED && sku !== OBSOLETE));
  }
});

test('lastSkuOf returns the last SKU of a table with several rows for each SKU', async () => {
  expect(await lastOf({ elements })).toBe(SEEN.at(-1)![0]);
});

test('assortment throws if a joined table has several rows for a SKU, for any size of a batch (decision 151)', async () => {
  const further = {
    join: `JOIN deliveries ON deliveries.SKU = prices.SKU AND deliveries.WarehouseCode = ?`,
    parameters: ['W'],
  };
  for (const size of [1, 2, 3, 1000])
    await expect(readAll({ select: () => 'prices.SKU AS SKU', further, batch: () => size })).rejects.toThrow(
      InvariantViolation,
    );
});

// The two rows are at each position of a batch. The second one can be the first row of the next batch.
test.each([1, 2, 3, 4])('assortment throws if one SKU has two rows, in batches of %i', async (size) => {
  for (const sku of SKUS.slice(10, 15)) {
    const join = `JOIN (SELECT 1 AS Number UNION ALL SELECT 2) AS numbers ON numbers.Number = 1 OR prices.SKU = ?`;
    const further = { join, parameters: [sku] };
    const reading = readAll({ select: () => 'prices.SKU AS SKU', further, batch: () => size });
    await expect(reading).rejects.toThrow(`${sku} follows ${sku}`);
  }
});
