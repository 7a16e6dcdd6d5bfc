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

/** Elements that are several for one SKU, as an endpoint of another team may have them. */
const TERMS: CustomerTerms = {
  priceList: { code: 'L', name: null, currencyCode: 'EUR' },
  warehouseCode: 'W',
  discountPercentage: '0',
};
// Code points in an order that JavaScript would get wrong: U+FFFD, then U+1F600.
const SKUS = [
  ...Array.from({ length: 40 }, (_, index) => `P-${String(index).padStart(2, '0')}`),
  '\uFFFD',
  '\u{1F600}',
];
const [UNPRICED, OBSOLETE] = ['P-03', 'P-07'];
const DAYS = ['2027-01-09', '2027-01-10', '2027-11-02'];

/** How many rows a SKU has: none, one, several, or more than a batch. */
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
  // `LIKE` and `AS` take the collation of the SKU from the table of products.
  await database.sql('CREATE TABLE deliveries AS SELECT SKU, SKU AS WarehouseCode FROM products WHERE 1 = 0');
  for (const column of ['Day date', 'Slot integer']) await database.sql(`ALTER TABLE deliveries ADD COLUMN ${column}`);
  await database.sql('CREATE UNIQUE INDEX deliveries_key ON deliveries (WarehouseCode, SKU, Day, Slot)');
  const rows = ROWS.flatMap((row) => ['W', 'OTHER'].map((code) => [code, ...row]));
  const values = rows.map(() => '(?, ?, ?, ?)').join();
  await database.sql(`INSERT INTO deliveries (WarehouseCode, SKU, Day, Slot) VALUES ${values}`, rows.flat());
});
afterAll(() => service.close());

const select = 'deliveries.SKU AS SKU, deliveries.Day AS Day, deliveries.Slot AS Slot';
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

// Batches of 1, 2, 3 and 7 end at every place within a SKU. 42 products have 504 rows.
test.each([1, 2, 3, 7, 100, SEEN.length, 1000])(
  'returns all rows of all eligible SKUs in batches of %i (decision 151)',
  async (size) => {
    const { rows, batches } = await readAll({ select, elements, batch: () => size });
    expect(rows.map(({ SKU, Day, Slot }) => [SKU, Day, Slot])).toEqual(SEEN);
    expect(batches).toBe(Math.ceil(SEEN.length / size));
  },
);

test('returns one row for each SKU where the table has one, in batches that end anywhere', async () => {
  for (const size of [1, 3, 39, 40, 41]) {
    const { rows } = await readAll({ select: 'prices.SKU AS SKU', batch: () => size });
    expect(rows.map(({ SKU }) => SKU)).toEqual(SKUS.filter((sku) => sku !== UNPRICED && sku !== OBSOLETE));
  }
});

test('finds the last SKU of elements that are several for one SKU', async () => {
  expect(await lastOf({ elements })).toBe(SEEN.at(-1)![0]);
});

test('throws where a further table has several rows for a SKU, whatever the size of a batch (decision 151)', async () => {
  const further = {
    join: `JOIN deliveries ON deliveries.SKU = prices.SKU AND deliveries.WarehouseCode = ?`,
    parameters: ['W'],
  };
  for (const size of [1, 2, 3, 1000])
    await expect(readAll({ select: 'prices.SKU AS SKU', further, batch: () => size })).rejects.toThrow(
      InvariantViolation,
    );
});

// Two rows for one SKU, at each place of a batch: the second one may be the first of the next batch.
test.each([1, 2, 3, 4])('throws where one SKU has two rows, in batches of %i', async (size) => {
  for (const sku of SKUS.slice(10, 15)) {
    const join = `JOIN (SELECT 1 AS Number UNION ALL SELECT 2) AS numbers ON numbers.Number = 1 OR prices.SKU = ?`;
    const further = { join, parameters: [sku] };
    const reading = readAll({ select: 'prices.SKU AS SKU', further, batch: () => size });
    await expect(reading).rejects.toThrow(`${sku} comes behind ${sku}`);
  }
});
