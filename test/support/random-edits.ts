import { COLUMNS, type ImportFileName, importFiles } from './import-files.js';
import type { SeededRandom } from './seeded-random.js';

// Edits of a small catalogue, by import files and by SQL of other programs. Cells are texts, or null.

/** A statement of another program. */
export interface ForeignStatement {
  /** The kind of edit, so that a test can check that every kind occurred. */
  kind: string;
  sql: string;
  parameters: unknown[];
}

type Cells = (string | null)[];

const codes = (prefix: string, count: number) => Array.from({ length: count }, (_, index) => `${prefix}${index}`);
/** Includes SKUs that reveal missing escaping, and SKUs that reveal an order other than by code points. */
export const SKUS = [...codes('P', 8), `it's "q" \\`, 'p1', '\u{1F383}', '\uFF5E'];
const LISTS = codes('L', 3);
const WAREHOUSES = codes('W', 3);
const IDS = ['1', '2', 'A'];
const TEXTS = [null, 'x', 'X', 'é\u{1F3A9}', `it's "q" \\ \\n`, 'two\nlines\t', ' kept '];
const DECIMALS = [null, '0', '1', '0.05', '12.3456', '1000'];
const QUANTITIES = DECIMALS.filter((value) => value !== '0');
const PRICES = ['0', '1', '9.99', '10.0751', '99999.9999'];
const PRODUCT_VALUES: Record<string, readonly (string | null)[]> = {
  Name: TEXTS,
  Description: TEXTS,
  WebsiteDescription: TEXTS,
  Theme: TEXTS,
  PackagedLength_in_cm: DECIMALS,
  CartonWeight_in_g: DECIMALS,
  CartonQty: [null, '0', '24'],
  Status: [null, 'ACTIVE', 'OBSOLETE', 'obsolete'],
  Barcode: [null, '0001234567890'],
};

/** Every table that responses are read from: its columns, the number of key columns, and a random row. */
const TABLES: Record<string, { columns: string[]; keys: number; row: (random: SeededRandom) => Cells }> = {
  price_lists: table('PriceListCode PriceListName CurrencyCode', 1, (random) => [
    random.of(LISTS),
    random.of(TEXTS),
    random.of(['EUR', 'USD']),
  ]),
  warehouses: table('WarehouseCode WarehouseName', 1, (random) => [random.of(WAREHOUSES), random.of(TEXTS)]),
  products: table(`SKU ${Object.keys(PRODUCT_VALUES).join(' ')}`, 1, (random) => [
    random.of(SKUS),
    ...Object.values(PRODUCT_VALUES).map((values) => random.of(values)),
  ]),
  // Only the first image may be the primary one, so that there are never two, which an import rejects.
  product_images: table('SKU ImageID FileName IsPrimaryImage', 2, (random) => {
    const id = random.of(IDS);
    return [
      random.of(SKUS),
      id,
      random.of(TEXTS),
      id === IDS[0] ? random.of([null, '0', '1']) : random.of([null, '0']),
    ];
  }),
  product_accessories: table('SKU AccessorySKU', 2, (random) => [random.of(SKUS), random.of([...SKUS, 'none'])]),
  product_substitutions: table('SKU SubstituteSKU', 2, (random) => [random.of(SKUS), random.of([...SKUS, 'none'])]),
  product_composition: table('SKU MaterialCode MaterialDescription CompositionPercentage', 2, (random) => [
    random.of(SKUS),
    random.of(IDS),
    random.of(TEXTS),
    random.of([null, '0', '66.6667', '100']),
  ]),
  prices: table('PriceListCode SKU Price MOQ OrderMultiple DiscountEligible', 2, (random) => [
    random.of(LISTS),
    random.of(SKUS),
    random.of(PRICES),
    random.of(QUANTITIES),
    random.of(QUANTITIES),
    random.of(['0', '1']),
  ]),
  stock: table('WarehouseCode SKU AvailableQTY NextAvailableETA', 2, (random) => [
    random.of(WAREHOUSES),
    random.of(SKUS),
    random.of(['0', '-3', '12.5', '7']),
    random.of([null, '2027-03-28', '2028-02-29']),
  ]),
};
const EDITED_TABLES = Object.keys(TABLES);
const CHILDREN = EDITED_TABLES.filter((name) => TABLES[name]!.columns.includes('SKU') && name !== 'products');

function table(columns: string, keys: number, row: (random: SeededRandom) => Cells) {
  return { columns: columns.split(' '), keys, row };
}

/** Files of a first import: all price lists, warehouses and customers, and some rows of all other tables. */
export function firstFiles(random: SeededRandom): Record<string, string> {
  const customers = [
    ['C0', '', 'L0', 'W0', '12.5'],
    ['C1', '', 'L1', 'W1', '0'],
  ];
  return { ...importFiles({ 'customers.csv': customers }), ...catalogueFiles(random, SKUS, 40) };
}

/**
 * Import files with all price lists and warehouses, and random rows of some other tables for the given products only.
 */
export function catalogueFiles(random: SeededRandom, skus: readonly string[], rows: number): Record<string, string> {
  const currency = random.of(['EUR', 'USD']);
  const text = random.of(TEXTS) ?? '';
  const files = importFiles({
    'price_lists.csv': LISTS.map((code) => [code, text, currency]),
    'warehouses.csv': WAREHOUSES.map((code) => [code, text]),
  });
  for (const name of ['products', ...random.some(CHILDREN, 0.8)])
    files[`${name}.csv`] = fileOf(name, random, skus, rows);
  return files;
}

function fileOf(name: string, random: SeededRandom, skus: readonly string[], count: number): string {
  const { columns, keys, row } = TABLES[name]!;
  const rows = new Map<string, Cells>();
  // All products come first, because other files may reference any of them.
  if (name === 'products') for (const sku of skus) rows.set(sku, [sku, ...row(random).slice(1)]);
  else
    for (let index = 0; index < count; index++) {
      const cells = row(random);
      if (skus.includes(cells[columns.indexOf('SKU')]!)) rows.set(JSON.stringify(cells.slice(0, keys)), cells);
    }
  const file = `${name}.csv` as ImportFileName;
  const ordered = COLUMNS[file].split(',');
  const cellRows = [...rows.values()].map((cells) => ordered.map((column) => cells[columns.indexOf(column)] ?? ''));
  return importFiles({ [file]: cellRows })[file]!;
}

/** A random statement of another program. It may fail, for example if a referenced row is missing. */
export function foreignStatement(random: SeededRandom): ForeignStatement {
  const name = random.of(EDITED_TABLES);
  const { columns, keys, row } = TABLES[name]!;
  const cells = row(random);
  const key = columns.slice(0, keys).map((column) => `${column} = ?`);
  const where = `WHERE ${key.join(' AND ')}`;
  const insert = `INTO ${name} (${columns.join()}) VALUES (${columns.map(() => '?').join()})`;
  const others = columns.slice(keys);
  const column = random.of(others.length ? others : columns.slice(1));
  const value = cells[columns.indexOf(column)];
  return random.of<() => ForeignStatement>([
    () => ({ kind: `insert ${name}`, sql: `INSERT ${insert}`, parameters: cells }),
    () => ({ kind: `insert ${name}`, sql: `INSERT ${insert}`, parameters: cells }),
    () => ({ kind: `replace ${name}`, sql: `REPLACE ${insert}`, parameters: cells }),
    () => ({
      kind: `update ${name}`,
      sql: `UPDATE ${name} SET ${column} = ? ${where}`,
      parameters: [value, ...cells.slice(0, keys)],
    }),
    () => ({
      kind: `update many of ${name}`,
      // If a table has no other column, moves rows to another product, because several rows cannot get equal keys.
      sql: others.length
        ? `UPDATE ${name} SET ${column} = ? WHERE ${columns[0]} > ?`
        : `UPDATE ${name} SET SKU = ? WHERE SKU = ?`,
      parameters: others.length ? [value, cells[0]] : [random.of(SKUS), cells[0]],
    }),
    () => ({ kind: `delete ${name}`, sql: `DELETE FROM ${name} ${where}`, parameters: cells.slice(0, keys) }),
    () => ({
      kind: 'move',
      sql: `UPDATE ${random.of(CHILDREN)} SET SKU = ? WHERE SKU = ?`,
      parameters: twoSkus(random),
    }),
    () => ({ kind: 'rename', sql: 'UPDATE products SET SKU = ? WHERE SKU = ?', parameters: twoSkus(random) }),
  ])();
}

const twoSkus = (random: SeededRandom) => [random.of(SKUS), random.of(SKUS)];
