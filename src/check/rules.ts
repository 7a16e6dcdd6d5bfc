import { asNumber } from '../database/decimal-sql.js';
import { isVisible } from '../assortment/assortment.js';
import type { Row } from '../database/query.js';

/** A rule that detects one kind of mistake in the catalogue. */
export interface CheckRule {
  name: string;
  /** Names the findings, in the plural. */
  description: string;
}

/** A rule that one SQL statement checks. */
export interface SqlRule extends CheckRule {
  /** Selects a row for each finding, in a fixed order. */
  sql: string;
  /** Whether the statement has one parameter, the current date. */
  needsToday?: boolean;
  describe: (row: Row) => string;
}

/** Rules that check the texts of each product. */
export const TEXT_RULES = {
  'barcode-invalid': 'numeric barcodes with a wrong length or check digit',
  'picture-name': 'pictures whose name is neither a file name nor a URL',
  'html-unclosed': 'website descriptions with an unclosed element or an incomplete tag',
} as const;
export type TextRule = keyof typeof TEXT_RULES;

const dangling = (table: string, column: string) =>
  `SELECT SKU, ${column} AS other FROM ${table} WHERE ${column} NOT IN (SELECT SKU FROM products) ORDER BY SKU, other`;

export const SQL_RULES: readonly SqlRule[] = [
  {
    name: 'barcode-repeated',
    description: 'barcodes that several products share',
    sql: `SELECT Barcode, COUNT(*) AS products, MIN(SKU) AS one, MAX(SKU) AS other FROM products
      WHERE Barcode IS NOT NULL AND ${isVisible} GROUP BY Barcode HAVING COUNT(*) > 1 ORDER BY Barcode`,
    describe: ({ Barcode, products, one, other }) => `barcode ${Barcode} of ${products} products: ${one}, ${other}`,
  },
  {
    name: 'price-zero',
    description: 'prices of 0',
    sql: `SELECT prices.PriceListCode AS list, prices.SKU AS SKU FROM prices JOIN products ON products.SKU = prices.SKU
      WHERE ${asNumber('prices.Price')} = 0 AND ${isVisible} ORDER BY list, SKU`,
    describe: ({ list, SKU }) => `SKU ${SKU} on list ${list}`,
  },
  {
    name: 'product-unpriced',
    description: 'products that are on no price list',
    sql: `SELECT SKU FROM products WHERE ${isVisible} AND SKU NOT IN (SELECT SKU FROM prices) ORDER BY SKU`,
    describe: ({ SKU }) => `SKU ${SKU}`,
  },
  {
    name: 'stock-unpriced',
    description: 'products that have stock but no price',
    sql: `SELECT DISTINCT products.SKU AS SKU FROM stock JOIN products ON products.SKU = stock.SKU
      WHERE ${asNumber('stock.AvailableQTY')} > 0 AND ${isVisible}
        AND products.SKU NOT IN (SELECT SKU FROM prices) ORDER BY SKU`,
    describe: ({ SKU }) => `SKU ${SKU}`,
  },
  {
    name: 'accessory-dangling',
    description: 'accessories that do not exist as products',
    sql: dangling('product_accessories', 'AccessorySKU'),
    describe: ({ SKU, other }) => `SKU ${SKU} names ${other}`,
  },
  {
    name: 'substitution-dangling',
    description: 'substitutes that do not exist as products',
    sql: dangling('product_substitutions', 'SubstituteSKU'),
    describe: ({ SKU, other }) => `SKU ${SKU} names ${other}`,
  },
  {
    name: 'date-past',
    description: 'dates of the next delivery that are in the past',
    sql: `SELECT WarehouseCode, SKU, NextAvailableETA FROM stock WHERE NextAvailableETA < ?
      ORDER BY WarehouseCode, SKU`,
    needsToday: true,
    describe: ({ WarehouseCode, SKU, NextAvailableETA }) =>
      `SKU ${SKU} in warehouse ${WarehouseCode}: ${NextAvailableETA}`,
  },
  {
    name: 'customer-list-empty',
    description: 'active customers without a price list, or with one that shows no product',
    sql: `SELECT CustomerCode, PriceListCode FROM customers WHERE Active = 1 AND (PriceListCode IS NULL
      OR NOT EXISTS (SELECT 1 FROM prices JOIN products ON products.SKU = prices.SKU
        WHERE prices.PriceListCode = customers.PriceListCode AND ${isVisible})) ORDER BY CustomerCode`,
    describe: ({ CustomerCode, PriceListCode }) =>
      PriceListCode === null ? `${CustomerCode} has no list` : `${CustomerCode}: list ${PriceListCode}`,
  },
  {
    name: 'customer-warehouse-empty',
    description: 'active customers without a warehouse, or with one that has no stock',
    sql: `SELECT CustomerCode, WarehouseCode FROM customers WHERE Active = 1 AND (WarehouseCode IS NULL
      OR NOT EXISTS (SELECT 1 FROM stock WHERE stock.WarehouseCode = customers.WarehouseCode
        AND ${asNumber('stock.AvailableQTY')} > 0)) ORDER BY CustomerCode`,
    describe: ({ CustomerCode, WarehouseCode }) =>
      WarehouseCode === null ? `${CustomerCode} has no warehouse` : `${CustomerCode}: warehouse ${WarehouseCode}`,
  },
];

/** All rules in the order of the report. */
export const RULES: readonly CheckRule[] = [
  ...Object.entries(TEXT_RULES).map(([name, description]) => ({ name, description })),
  ...SQL_RULES,
];
