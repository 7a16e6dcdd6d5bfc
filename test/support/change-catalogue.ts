import { importFiles } from './import-files.js';

// A small catalogue for tests of deltas: six products, two price lists and two warehouses.

export const SKUS = ['A', 'B', 'C', 'D', 'E', 'F'];
export const REPLACE = ['--replace', '--allow-removals'];
/** Options of an import that may change everything. */
export const FORCE = [...REPLACE, '--allow-price-changes', '--allow-zero-stock'];

export const product = (sku: string, name: string, status = '') => [sku, name, ...Array(21).fill(''), status];
export const price = (sku: string, amount: string, list = 'L') => [list, sku, amount, '1', '1', 'true'];

/** The import files of the catalogue. Every product is in stock in warehouse W. */
export function changeCatalogue(prices: readonly string[][], customers: readonly string[][]): Record<string, string> {
  return importFiles({
    'price_lists.csv': [
      ['L', 'List', 'EUR'],
      ['M', 'Other', 'EUR'],
    ],
    'warehouses.csv': [['W'], ['X']],
    'products.csv': SKUS.map((sku) => product(sku, `Name of ${sku}`)),
    'product_images.csv': [['A', '1', 'a.jpg', 'true']],
    'prices.csv': prices,
    'stock.csv': SKUS.map((sku) => ['W', sku, '5']),
    'customers.csv': customers,
  });
}
