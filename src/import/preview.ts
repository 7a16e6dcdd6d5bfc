import { isVisible } from '../assortment/assortment.js';
import type { CatalogService } from '../catalog/catalog.service.js';
import type { Query } from '../database/query.js';
import { DamagedRow } from '../resource/json-writer.js';
import type { CustomerScopeService } from '../scope/customer-scope.service.js';
import type { CustomerTerms } from '../scope/customer-scope.js';

const COUNTS = {
  visible: '1',
  withoutName: 'products.Name IS NULL',
  withoutPicture: 'products.Photo IS NULL AND products.SKU NOT IN (SELECT SKU FROM product_images)',
  withoutBarcode: 'products.Barcode IS NULL',
  withoutStock: 'products.SKU NOT IN (SELECT SKU FROM stock)',
} as const;

/** How many products the customers of a price list see, and how many of these lack a name, a picture and so on. */
export interface Visibility extends Record<keyof typeof COUNTS, number> {
  /** Products that have a price on this list but are hidden by their status. */
  hiddenByStatus: number;
  /** Products that are not hidden by their status but have no price on this list. */
  withoutPrice: number;
}

/** A price list before and after an import; null if it does not exist. */
export interface ListPreview {
  priceList: string;
  before: Visibility | null;
  after: Visibility | null;
}

/** One product as `GET /products` returns it before and after an import; null if it is not returned. */
export interface ProductPreview {
  sku: string;
  /** The customer of the preview; null: the list has no active customer, and the preview applies no discount. */
  customerCode: string | null;
  priceList: string;
  /** JSON text exactly as sent, because parsing could round numbers. */
  before: string | null;
  after: string | null;
}

/** What customers would see after an import. */
export interface Preview {
  priceLists: ListPreview[];
  /** Null: no product on a price list changes. */
  sample: ProductPreview | null;
}

/** Counts the products that customers of each price list see, by code of the list. */
export async function visibilities(query: Query): Promise<Map<string, Visibility>> {
  const counts = Object.entries(COUNTS).map(
    ([name, condition]) => `SUM(CASE WHEN ${isVisible} AND ${condition} THEN 1 ELSE 0 END) AS ${name}`,
  );
  const [row] = await query(`SELECT COUNT(*) AS visible FROM products WHERE ${isVisible}`);
  const rows = await query(`SELECT price_lists.PriceListCode AS list, COUNT(products.SKU) AS priced, ${counts.join()}
    FROM price_lists
    LEFT JOIN prices ON prices.PriceListCode = price_lists.PriceListCode
    LEFT JOIN products ON products.SKU = prices.SKU
    GROUP BY price_lists.PriceListCode ORDER BY price_lists.PriceListCode`);
  return new Map(
    rows.map(({ list, priced, ...others }) => {
      const lacks = Object.fromEntries(Object.entries(others).map(([name, count]) => [name, Number(count)]));
      const [visible, all] = [lacks.visible!, Number(row?.visible)];
      const hidden = { hiddenByStatus: Number(priced) - visible, withoutPrice: all - visible };
      return [String(list), { ...lacks, ...hidden } as Visibility];
    }),
  );
}

/** Pairs the counts of both states by price list. */
export function sideBySide(before: Map<string, Visibility>, after: Map<string, Visibility>): ListPreview[] {
  const lists = [...new Set([...before.keys(), ...after.keys()])].toSorted();
  return lists.map((priceList) => ({
    priceList,
    before: before.get(priceList) ?? null,
    after: after.get(priceList) ?? null,
  }));
}

/** Renders one product as responses show it in two states of the database. */
export class SampleProduct {
  constructor(
    private readonly catalog: CatalogService,
    private readonly scopes: CustomerScopeService,
  ) {}

  /** Previews the first of the products that has a price in either state; null if none has one. */
  async of(skus: readonly string[], before: Query, after: Query): Promise<ProductPreview | null> {
    if (!skus.length) return null;
    const found = (await priceOf(after, skus)) ?? (await priceOf(before, skus));
    if (!found) return null;
    const { sku, list } = found;
    const customers = 'SELECT CustomerCode FROM customers WHERE PriceListCode = ? AND Active = 1';
    const [row] = await after(`${customers} ORDER BY CustomerCode LIMIT 1`, [list]);
    const customerCode = row ? String(row.CustomerCode) : null;
    const element = (query: Query) => this.element(query, customerCode, list, sku).catch(nullIfDamaged);
    return { sku, customerCode, priceList: list, before: await element(before), after: await element(after) };
  }

  private async element(query: Query, customer: string | null, list: string, sku: string): Promise<string | null> {
    const terms = await this.termsOf(query, customer, list);
    return (terms && (await this.catalog.element(query, terms, sku))) ?? null;
  }

  private async termsOf(query: Query, customer: string | null, list: string): Promise<CustomerTerms | undefined> {
    if (customer !== null) return (await this.scopes.find(customer, query))?.terms;
    const [row] = await query('SELECT * FROM price_lists WHERE PriceListCode = ?', [list]);
    if (!row) return undefined;
    const priceList = { code: list, name: row.PriceListName as string | null, currencyCode: String(row.CurrencyCode) };
    return { priceList, warehouseCode: null, discountPercentage: '0' };
  }
}

/** A row that another program damaged must not prevent the import that repairs it. */
function nullIfDamaged(error: unknown): null {
  if (error instanceof DamagedRow) return null;
  throw error;
}

/** The first of the products with a price, and a list with that price, preferably the list of an active customer. */
async function priceOf(query: Query, skus: readonly string[]): Promise<{ sku: string; list: string } | undefined> {
  const rows = await query(
    `SELECT DISTINCT prices.SKU AS sku, prices.PriceListCode AS list, customers.PriceListCode IS NULL AS unused
     FROM prices LEFT JOIN customers ON customers.PriceListCode = prices.PriceListCode AND customers.Active = 1
     WHERE prices.SKU IN (${skus.map(() => '?').join()}) ORDER BY unused, list, sku`,
    skus,
  );
  const [first] = rows.toSorted((one, other) => skus.indexOf(String(one.sku)) - skus.indexOf(String(other.sku)));
  return first && { sku: String(first.sku), list: String(first.list) };
}
