import type { ProductDocuments } from '../catalog/product-documents.js';
import { Product } from '../catalog/product.entity.js';
import type { WriteSession } from '../database/engine.js';
import { rowIn, upsertClause, values } from '../database/server-sql.js';
import { StockEntry } from '../stock/stock-entry.entity.js';
import { ContentChanges } from './content-changes.js';
import { importTableOf, type ImportTable } from './import-tables.js';

/** The rows that an import writes to the log: part, code, SKU, counter, and the counter again if the SKU left. */
async function logged(note: (changes: ContentChanges) => Promise<void>): Promise<unknown[][]> {
  const rows: unknown[][] = [];
  const query = async (sql: string, [first]: readonly unknown[] = []) => {
    if (sql.startsWith('INSERT INTO changed_skus')) rows.push(...(first as unknown[][]));
    return sql.startsWith('SELECT COUNT') ? [{ size: 10_000_000 }] : [];
  };
  const session = { query, prepared: query, firesTriggers: false, limits: { bytes: 1e9 }, values, upsertClause, rowIn };
  const documents = { forget: async () => undefined, store: async () => 0 };
  const changes = new ContentChanges(session as unknown as WriteSession, documents as unknown as ProductDocuments);
  await changes.begin();
  await note(changes);
  await changes.finish();
  return rows.filter(([, , sku]) => sku);
}

const stock = importTableOf(StockEntry)!;
const NAMES = ['WarehouseCode', 'SKU'];
const isNew = () => undefined;
const skus = (count: number, warehouse: string) =>
  Array.from({ length: count }, (_, index) => [warehouse, `SKU ${index}`]);

test('an import logs at most 200,000 SKUs, and either all or none of the SKUs of a part', async () => {
  const rows = await logged(async (changes) => {
    await changes.noteWritten(stock, NAMES, skus(120_000, 'A'), isNew);
    await changes.noteWritten(stock, NAMES, skus(100_000, 'B'), isNew);
    await changes.noteWritten(stock, NAMES, skus(80_000, 'C'), isNew);
  });
  const codes = ['A', 'B', 'C'].map((code) => rows.filter((row) => row[1] === code).length);
  expect(codes).toEqual([120_000, 0, 80_000]);
}, 20_000);

test('a changed row of a table without SKUs, such as warehouses, starts the log of its part again', async () => {
  const warehouses = { ...stock, name: 'warehouses', key: ['WarehouseCode'] };
  const rows = await logged(async (changes) => {
    await changes.noteWritten(stock, NAMES, skus(1, 'A'), isNew);
    await changes.noteWritten(warehouses, ['WarehouseCode', 'WarehouseName'], [['A', 'Name']], isNew);
    await changes.noteWritten(stock, NAMES, skus(2, 'A'), isNew);
  });
  expect(rows).toEqual([]);
});

test.each<[string, string[], boolean]>([
  // An endpoint that reads such a table has no element of the SKU any more.
  ['a table of an extension with one row for each SKU', ['SKU'], true],
  ['a table with several rows for each SKU', ['SKU', 'ImageID'], false],
])('the removal of a row of %s is logged as leaving: %s', async (_name, key, hasLeft) => {
  const products = importTableOf(Product)!;
  const columns = key.map((name) => ({ name }));
  const table = { ...products, name: 'certificates', key, columns, inDocument: false } as unknown as ImportTable;
  const rows = await logged((changes) => changes.noteRemoved(table, [key.map(() => 'A')]));
  expect(rows).toEqual([['products', '', 'A', 1, hasLeft ? 1 : null]]);
});

test('a SKU is logged as leaving if one row was removed, even if another row was written', async () => {
  const products = importTableOf(Product)!;
  const rows = await logged(async (changes) => {
    await changes.noteRemoved(products, [['A']]);
    await changes.noteWritten(products, ['SKU', 'Status'], [['A', 'ACTIVE']], isNew);
  });
  expect(rows).toEqual([['products', '', 'A', 1, 1]]);
});
