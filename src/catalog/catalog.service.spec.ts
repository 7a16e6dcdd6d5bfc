import type { Snapshot } from '../database/engine.js';
import type { Row } from '../database/query.js';
import type { CustomerTerms } from '../scope/customer-scope.js';
import { CatalogService } from './catalog.service.js';
import type { ProductDocuments } from './product-documents.js';

const TERMS = {
  priceList: { code: 'L', name: null, currencyCode: 'EUR' },
  discountPercentage: '0',
} as unknown as CustomerTerms;

/** Returns a length in characters, not in bytes: one of the tests uses two-byte characters. */
const ofAllSizes = (index: number) => (index % 7) * 10_000;
const skuOf = (index: number) => String(index).padStart(4, '0');

/**
 * Reads `count` products whose documents have `size` characters.
 * @returns the number of products in each batch
 */
async function batchesOf(
  count: number,
  size: (index: number) => number,
  { isStored = true, character = 'x' } = {},
): Promise<number[]> {
  const document = (sku: string) => `{"SKU":"${sku}","Name":"${character.repeat(size(Number(sku)))}","ProductPrices":[`;
  const documents = {
    serializationHash: 'hash',
    makeForResponse: async (_query: unknown, skus: string[]) => new Map(skus.map((sku) => [sku, document(sku)])),
  } as unknown as ProductDocuments;
  const query = async (sql: string, parameters: readonly unknown[] = []): Promise<Row[]> => {
    const start = parameters.at(-1) === '' ? 0 : Number(parameters.at(-1)) + 1;
    const limit = Number(/LIMIT (\d+)$/.exec(sql)![1]);
    return Array.from({ length: Math.min(limit, count - start) }, (_, index) => ({
      SKU: skuOf(start + index),
      Document: isStored ? Buffer.from(document(skuOf(start + index))) : null,
      Price: '1.0000',
      DiscountEligible: 0,
      MOQ: null,
      OrderMultiple: null,
    }));
  };
  const snapshot: Snapshot = { query, join: (table) => `JOIN ${table}`, isReplica: false, close: async () => {} };
  const sizes: number[] = [];
  let text = '';
  for await (const batch of new CatalogService(documents).elements(snapshot, TERMS, ',')) {
    sizes.push((JSON.parse(`[${batch.toString().slice(1)}]`) as unknown[]).length);
    text += batch.toString();
  }
  const all = JSON.parse(`[${text.slice(1)}]`) as { SKU: string }[];
  expect(all.map(({ SKU }) => SKU)).toEqual(Array.from({ length: count }, (_, index) => skuOf(index)));
  return sizes;
}

// The service sends the statement of the second batch before it writes the first one, so the third batch is the first
// with an adapted size.
test.each([
  ['usual', 3_000, [25, 25, 100, 100, 50]],
  ['large', 90_000, [25, 25, ...Array.from({ length: 20 }, () => 12), 10]],
  ['enormous', 1_100_000, [25, 25, 1, 1, 1, 1]],
])('batches of %s products have about one megabyte', async (_name, size, expected) => {
  const count = expected.reduce((sum, one) => sum + one);
  expect(await batchesOf(count, () => size)).toEqual(expected);
});

test('the size of a batch follows the size of the products before it', async () => {
  expect(await batchesOf(161, (index) => (index < 51 ? 500_000 : 10))).toEqual([25, 25, 2, 2, 4, 100, 3]);
  expect(await batchesOf(260, (index) => (index < 50 ? 10 : 200_000))).toEqual([25, 25, 100, 100, 5, 5]);
});

test('batches of stored and of rebuilt documents are equal, because compressed bytes depend on the batches', async () => {
  const [stored, made] = await Promise.all(
    [true, false].map((isStored) => batchesOf(200, ofAllSizes, { isStored, character: 'é' })),
  );
  expect(made).toEqual(stored);
});
