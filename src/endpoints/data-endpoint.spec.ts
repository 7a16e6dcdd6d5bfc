import { Product } from '../catalog/product.entity.js';
import { ProductImage } from '../catalog/product-image.entity.js';
import { IMPORT_TABLES, hasOneRowPerSku, type ImportTable } from '../import/import-tables.js';
import { ProductPrice } from '../pricing/product-price.entity.js';
import { StockEntry } from '../stock/stock-entry.entity.js';
import { type DataEndpoint, hasChanges } from './data-endpoint.js';

const endpoint = (declaration: Partial<DataEndpoint>): DataEndpoint => ({
  path: '/example',
  resource: StockEntry,
  tag: '',
  summary: '',
  description: '',
  ...declaration,
});

class Source {
  async *elements() {}
  lastSku = async () => undefined;
  skus = async () => new Set<string>();
}
class WithoutTable {
  SKU!: string;
}

test.each<[string, boolean, Partial<DataEndpoint>]>([
  ['a table with a row for each SKU and warehouse', true, { resource: StockEntry }],
  ['a table with a row for each SKU and price list', true, { resource: ProductPrice }],
  ['a table with several rows for one SKU', false, { resource: ProductImage }],
  ['a select over prices and products', true, { resource: WithoutTable, select: 'products.SKU AS SKU' }],
  ['a source', false, { resource: Product, source: Source }],
  ['a source that declares it', true, { resource: Product, source: Source, hasChanges: true }],
  ['a declaration that it has none', false, { resource: StockEntry, hasChanges: false }],
])('an endpoint with %s has changes: %s (decision 182)', (_name, expected, declaration) => {
  expect(hasChanges(endpoint(declaration))).toBe(expected);
});

test('an endpoint with several elements for one SKU cannot declare changes', () => {
  const declared = endpoint({ resource: ProductImage, hasChanges: true });
  expect(() => hasChanges(declared)).toThrow('/example cannot have changes');
});

test.each<[string[], string[], boolean]>([
  [['SKU'], ['SKU', 'Name'], true],
  [['WarehouseCode', 'SKU'], ['WarehouseCode', 'SKU'], true],
  // If the warehouse of such a row changes, the element moves from one customer to another.
  [['SKU'], ['SKU', 'WarehouseCode'], false],
  [['SKU', 'ImageID'], ['SKU', 'ImageID'], false],
  [['PriceListCode'], ['PriceListCode'], false],
])('a table with the key %j and the columns %j has one row for each SKU: %s', (key, names, expected) => {
  const table = { key, columns: names.map((name) => ({ name })) } as unknown as ImportTable;
  expect(hasOneRowPerSku(table)).toBe(expected);
});

test('each part has one table with a row for each SKU', () => {
  const tables = IMPORT_TABLES.filter((table) => table.part && hasOneRowPerSku(table)).map(({ name }) => name);
  expect(tables).toEqual(['products', 'prices', 'stock']);
});
