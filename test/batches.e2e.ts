import type { NestExpressApplication } from '@nestjs/platform-express';
import { CatalogService } from '../src/catalog/catalog.service.js';
import { DatabaseService } from '../src/database/database.service.js';
import type { Snapshot } from '../src/database/engine.js';
import type { Row } from '../src/database/query.js';
import type { CustomerTerms } from '../src/scope/customer-scope.js';
import { importFiles } from './support/import-files.js';
import { startWithApp } from './support/running-app.js';
import type { TestService } from './support/test-service.js';

/** The most bytes of documents that the statement of a batch returns. */
const MOST_BYTES = 1_400_000;
/** The most bytes of documents in a piece, unless it has only one, and the prices of its products. */
const PIECE_BYTES = 250_000 + 400 * 200;
/** How many documents are built at once. */
const MOST_BUILT = 100;

/** Price lists. Each has runs of products: how many, and the approximate size of each stored document in bytes. */
const LISTS: Record<string, [count: number, size: number][]> = {
  TINY: [[850, 500]],
  USUAL: [[930, 2_000]],
  LARGE: [[100, 90_000]],
  ENORMOUS: [[60, 1_100_000]],
  SMALLER: [
    [51, 400_000],
    [110, 1_000],
  ],
  LARGER: [
    [150, 1_000],
    [60, 200_000],
  ],
};
const skusOf = (list: string) => {
  const count = LISTS[list]!.reduce((sum, [some]) => sum + some, 0);
  return Array.from({ length: count }, (_, index) => `${list}-${String(index).padStart(4, '0')}`);
};
const ALL = Object.keys(LISTS).flatMap(skusOf);

let service: TestService;
let app: NestExpressApplication;
beforeAll(async () => {
  ({ service, app } = await startWithApp());
  const { database } = service;
  await database.load(
    importFiles({
      'price_lists.csv': Object.keys(LISTS).map((list) => [list, 'List', 'EUR']),
      'products.csv': ALL.map((sku) => [sku]),
      'prices.csv': ALL.map((sku) => [sku.split('-')[0]!, sku, '1', '', '', 'true']),
    }),
  );
  for (const [list, runs] of Object.entries(LISTS)) {
    const skus = skusOf(list);
    for (const [count, size] of runs) {
      const some = skus.splice(0, count);
      // A two-byte character shows whether sizes are in characters.
      const document = `{"SKU":"@","Name":"${'é'.repeat(size / 2)}","ProductPrices":[`;
      const sql = `UPDATE product_documents SET Document = REPLACE(?, '@', SKU) WHERE SKU >= ? AND SKU <= ?`;
      await database.sql(sql, [document, some[0], some.at(-1)]);
    }
  }
});
afterAll(() => service.close());

interface Reading {
  /** The size of each batch, in products, as its statement limits it. */
  batches: number[];
  /** The most bytes of documents that one statement returned. */
  most: number;
  /** The most products that one statement read to build documents. */
  built: number;
  /** The most bytes of a piece that has several products. */
  largest: number;
  /** The number of pieces. */
  pieces: number;
}

/** Reads all products of a list. Expects each product once, in order. */
async function read(list: string): Promise<Reading> {
  const terms = { priceList: { code: list, name: null, currencyCode: 'EUR' }, discountPercentage: '0' };
  const snapshot = await app.get(DatabaseService).snapshot();
  const reading: Reading = { batches: [], most: 0, built: 0, largest: 0, pieces: 0 };
  const skus: string[] = [];
  try {
    const pieces = app
      .get(CatalogService)
      .elements(observed(snapshot, reading), terms as unknown as CustomerTerms, ',');
    for await (const piece of pieces) {
      const elements: { SKU: string }[] = JSON.parse(`[${piece.toString().slice(1)}]`);
      reading.pieces++;
      skus.push(...elements.map(({ SKU }) => SKU));
      if (elements.length > 1) reading.largest = Math.max(reading.largest, piece.length);
    }
  } finally {
    await snapshot.close();
  }
  expect(skus).toEqual(skusOf(list));
  return reading;
}

function observed(snapshot: Snapshot, reading: Reading): Snapshot {
  const query: Snapshot['query'] = async (sql, parameters) => {
    // A statement reads one row more than its batch.
    if (sql.includes('LIMIT')) reading.batches.push(Number(/LIMIT (\d+)$/.exec(sql)![1]) - 1);
    const rows = await snapshot.query(sql, parameters);
    reading.most = Math.max(reading.most, documentBytes(rows));
    if (sql.includes('FROM products WHERE')) reading.built = Math.max(reading.built, rows.length);
    return rows;
  };
  return { ...snapshot, query };
}

const documentBytes = (rows: readonly Row[]) =>
  rows.reduce((sum, { Document }) => sum + (Document ? Buffer.byteLength(Document as string) : 0), 0);

// The service sends the statement of the second batch before it writes the first one, so the third batch is the first
// with an adapted size.
test.each([
  ['TINY', [25, 25, 400, 400]],
  ['USUAL', [25, 25, 160, 160, 160, 160, 160, 160]],
  ['LARGE', [25, 25, ...Array.from({ length: 13 }, () => 4)]],
  ['SMALLER', [25, 25, 1, 1, 1, 293]],
])('batches of %s products have about 350 kB', async (list, expected) => {
  const { batches, largest } = await read(list);
  expect(batches).toEqual(expected);
  expect(largest).toBeLessThanOrEqual(PIECE_BYTES);
});

test.each(['LARGER', 'ENORMOUS'])('no statement returns more than 1.4 megabytes of %s documents', async (list) => {
  const { most, largest } = await read(list);
  expect(most).toBeLessThanOrEqual(MOST_BYTES);
  expect(largest).toBeLessThanOrEqual(PIECE_BYTES);
});

test('a batch has few pieces', async () => {
  const { batches, pieces } = await read('USUAL');
  expect(pieces).toBeLessThanOrEqual(3 * batches.length);
});

test('documents that are not stored are built in portions', async () => {
  await service.database.sql(`DELETE FROM product_documents WHERE SKU LIKE 'USUAL-%'`);
  expect((await read('USUAL')).built).toBe(MOST_BUILT);
});
