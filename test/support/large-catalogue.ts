import { createHash } from 'node:crypto';
import { IMPORT_TABLES } from '../../src/import/import-tables.js';
import { COLUMNS, type ImportFileName } from './import-files.js';
import type { TestDatabase } from './test-service.js';

export type Version = 1 | 2;

/**
 * One in this many products is on the price list of customer C, so that responses stay small but cover the whole file.
 */
const SHOWN = 20;

/**
 * Import files of a catalogue in two versions. Every row of every file shows its version. Only its key is the same in
 * both. An import of the other version changes all rows, so half an import is detectable.
 */
export function largeCatalogue(version: Version, products: number): Record<string, string> {
  const skus = Array.from({ length: products }, (_, index) => `P-${String(index).padStart(6, '0')}`);
  const shown = skus.filter((_, index) => index % SHOWN === 0);
  const name = `Version ${version}`;
  const text = `${name}, described at full length. `.repeat(4);
  const [price, discount] = version === 1 ? ['100', '10'] : ['125', '20'];
  const priceIn = (list: string) => (sku: string) => [list, sku, price, '1', '1', 'true'];
  return {
    ...csv('price_lists.csv', [
      ['L', name, 'EUR'],
      ['M', name, 'EUR'],
    ]),
    ...csv('warehouses.csv', [['W', name]]),
    ...csv(
      'products.csv',
      skus.map((sku) => [sku, name, `"${text}"`]),
    ),
    ...csv(
      'product_images.csv',
      skus.map((sku) => [sku, '1', name, 'true']),
    ),
    ...csv('prices.csv', [...skus.map(priceIn('M')), ...shown.map(priceIn('L'))]),
    ...csv(
      'stock.csv',
      skus.map((sku) => ['W', sku, String(version)]),
    ),
    ...csv('customers.csv', [['C', name, 'L', 'W', discount, '1000000', '1000000']]),
  };
}

/** A digest of every row of every imported table, except the warehouse that {@link touch} writes. */
export async function stateOf(database: TestDatabase): Promise<string> {
  const digest = createHash('sha256');
  for (const { name } of IMPORT_TABLES) {
    const rows = await database.sql(`SELECT * FROM ${name} ORDER BY 1, 2`);
    digest.update(JSON.stringify([name, rows.filter(({ WarehouseCode, SKU }) => WarehouseCode !== TOUCHED || SKU)]));
  }
  return digest.digest('hex');
}

/**
 * Imports one row that differs from the previous one.
 * @returns the duration in milliseconds
 */
export async function touch(database: TestDatabase): Promise<number> {
  const folder = await database.files(csv('warehouses.csv', [[TOUCHED, `${touches++}`]]));
  const start = performance.now();
  await database.cliOk('import', folder);
  return performance.now() - start;
}

const TOUCHED = 'TOUCHED';
let touches = 0;

/** Writes rows that need no quotes, far faster than a library. Missing values at the end are empty. */
function csv(file: ImportFileName, rows: readonly string[][]): Record<string, string> {
  const width = COLUMNS[file].split(',').length;
  const lines = rows.map((row) => row.join() + ','.repeat(width - row.length));
  return { [file]: [COLUMNS[file], ...lines, ''].join('\n') };
}
