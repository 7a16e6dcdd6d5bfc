import { ProductPrice } from '../pricing/product-price.entity.js';
import { Product } from '../catalog/product.entity.js';
import { yieldToEventLoop } from '../event-loop/yield-to-event-loop.js';
import { InvariantViolation } from '../invariants/invariants.js';
import type { CustomerTerms } from '../scope/customer-scope.js';
import type { Query, Row } from '../database/query.js';
import { oneOf } from '../database/sku-conditions.js';
import type { Snapshot, SqlPart } from '../database/engine.js';
import type { Resource } from '../resource/field.decorator.js';
import { afterKey } from '../database/after-key.js';
import { isAfter, type Key } from './key-order.js';

/** The status that hides a product from every response. The comparison is exact, including case. */
const OBSOLETE = 'OBSOLETE';

/** Whether this status hides a product from every response. */
export const isHidden = (status: unknown) => status === OBSOLETE;

/** SQL condition: the status of the product does not hide it. */
const IS_SHOWN = `(products.Status IS NULL OR products.Status <> '${OBSOLETE}')`;

/** SQL condition for an outer join: the product exists, and its status does not hide it. */
export const isVisible = `products.SKU IS NOT NULL AND ${IS_SHOWN}`;

/** Rows of a batch. More rows would delay the first byte and need more memory. */
const BATCH_SIZE = 1000;

/** The entities whose rows decide which SKUs are eligible. Every response depends on them. */
export const ASSORTMENT_ENTITIES: readonly Resource[] = [Product, ProductPrice];

/** A table to join to the assortment. An inner join omits SKUs that have no row in this table. */
interface FurtherTable {
  join: string;
  parameters: readonly unknown[];
}

/** A table that may have several rows for one SKU. Each of its rows is an element. */
interface ElementTable {
  name: string;
  /** SQL condition for the rows that the customer sees. An empty string selects all rows. */
  condition: string;
  parameters: readonly unknown[];
  /** The columns that distinguish rows of the same SKU, in the order of the elements. */
  key: readonly string[];
}

/**
 * Tables to read in addition to the tables of the assortment: a joined table, or a table whose rows are the elements.
 */
export interface AssortmentTables {
  further?: FurtherTable;
  elements?: ElementTable;
  /** Restricts the assortment to the SKUs that this statement selects. */
  among?: SkuSelection;
}

/** Returns a statement that selects distinct SKUs. @param after omits SKUs up to this one */
export type SkuSelection = (after: string) => SqlPart;

/** The columns to read for each row of an assortment. */
export interface AssortmentSelection extends AssortmentTables {
  /**
   * Returns a SELECT list over `prices`, `products` and the other table. It must name `SKU` and the other key columns.
   * @param rows the maximum number of rows that the statement returns
   */
  select: (rows: number) => string;
  /** Returns the size of the next batch, in rows. It runs before the batch that was just read is yielded. Default: 1000. */
  batch?: () => number;
}

/**
 * Yields the assortment of a customer in batches: the SKUs of its price list whose product exists and is not obsolete, in
 * code-point order. Every data endpoint reads through this function, so that all of them agree on what is eligible. Each
 * batch starts after the key of the last row of the batch before.
 * @throws {InvariantViolation} if keys are not strictly ascending, because paging by such keys could lose rows
 */
export async function* assortment(
  snapshot: Snapshot,
  terms: CustomerTerms,
  { select, batch = () => BATCH_SIZE, ...tables }: AssortmentSelection,
): AsyncGenerator<Row[]> {
  if (!terms.priceList) return;
  const names = ['SKU', ...(tables.elements?.key ?? [])];
  const list = terms.priceList.code;
  const read = (last: Key, limit: number) => {
    const { sql, parameters, key } = eligible(snapshot, list, tables, String(last[0]));
    const after = afterKey(key, last);
    // Reads one row more, to detect a row with the same key as the last row of the batch. The next batch would lose it.
    const most = limit + 1;
    const statement = `SELECT ${select(most)} ${sql} AND ${after.sql} ORDER BY ${key.join(', ')} LIMIT ${most}`;
    return { limit, rows: snapshot.query(statement, [...parameters, ...after.parameters]) };
  };
  let last: Key = [''];
  let next = read(last, batch());
  for (let full = true; full;) {
    const rows = await next.rows;
    full = rows.length > next.limit;
    const keys = rows.map((row) => names.map((name) => row[name]));
    assertAscending(last, keys);
    if (full) {
      rows.pop();
      last = keys.at(-2)!;
      // The database reads the next batch while this one is sent.
      next = read(last, batch());
      // Avoids an unhandled rejection if the consumer stops before it reads the next batch.
      next.rows.catch(() => undefined);
      // The statement is sent only when the event loop continues.
      await yieldToEventLoop();
    }
    if (rows.length) yield rows;
  }
}

/**
 * Reads the last SKU of an assortment with one lookup at the end of the index.
 * @param tables the same as for the elements
 * @returns undefined if the assortment is empty
 */
export async function lastSkuOf(
  snapshot: Snapshot,
  terms: CustomerTerms,
  tables: AssortmentTables = {},
): Promise<string | undefined> {
  if (!terms.priceList) return undefined;
  const {
    sql,
    parameters,
    key: [sku],
  } = eligible(snapshot, terms.priceList.code, tables);
  const [row] = await snapshot.query(`SELECT ${sku} AS SKU ${sql} ORDER BY ${sku} DESC LIMIT 1`, parameters);
  return row && String(row.SKU);
}

/** Returns which of the SKUs are in an assortment. @param tables the same as for the elements */
export async function skusInAssortment(
  snapshot: Snapshot,
  terms: CustomerTerms,
  skus: readonly string[],
  tables: AssortmentTables = {},
): Promise<ReadonlySet<string>> {
  if (!terms.priceList) return new Set();
  const { sql, parameters, key } = eligible(snapshot, terms.priceList.code, tables);
  const some = oneOf(skus, key[0]);
  const select = `SELECT ${key[0]} AS SKU ${sql} AND ${some.sql}`;
  return skuSet(await snapshot.query(select, [...parameters, ...some.parameters]));
}

/** Returns which of the SKUs have a product that is not hidden. */
export async function visibleSkus(query: Query, skus: readonly string[]): Promise<ReadonlySet<string>> {
  const { sql, parameters } = oneOf(skus);
  return skuSet(await query(`SELECT SKU FROM products WHERE ${sql} AND ${IS_SHOWN}`, parameters));
}

/** Returns which of the SKUs have a price in the list. */
export async function pricedSkus(query: Query, list: string, skus: readonly string[]): Promise<ReadonlySet<string>> {
  const { sql, parameters } = oneOf(skus);
  return skuSet(await query(`SELECT SKU FROM prices WHERE PriceListCode = ? AND ${sql}`, [list, ...parameters]));
}

const skuSet = (rows: readonly Row[]) => new Set(rows.map(({ SKU }) => SKU as string));

/** The tables and the conditions of a statement. */
interface Eligible {
  sql: string;
  parameters: readonly unknown[];
  /** The columns that order the rows, starting with the SKU. */
  key: readonly string[];
}

/**
 * Returns the tables and conditions of an assortment. One index of the first table has the order of the rows. If the
 * order came from several tables, a server would have to sort all rows for each batch.
 */
function eligible(
  snapshot: Snapshot,
  priceList: string,
  { further, elements, among }: AssortmentTables,
  after = '',
): Eligible {
  const products = `${snapshot.join('products', 'products_eligibility')} ON products.SKU = prices.SKU`;
  const prices = (first: string) =>
    `${snapshot.join('prices')} ON prices.SKU = ${first}.SKU AND prices.PriceListCode = ?`;
  if (elements) {
    const { name, condition, parameters, key } = elements;
    return {
      sql: `FROM ${name} ${prices(name)} ${products} WHERE ${condition && `${condition} AND `}${IS_SHOWN}`,
      parameters: [priceList, ...parameters],
      key: ['SKU', ...key].map((column) => `${name}.${column}`),
    };
  }
  const join = further?.join ?? '';
  const ofJoin = further?.parameters ?? [];
  if (!among)
    return {
      sql: `FROM prices ${products} ${join} WHERE prices.PriceListCode = ? AND ${IS_SHOWN}`,
      parameters: [...ofJoin, priceList],
      key: ['prices.SKU'],
    };
  const some = among(after);
  return {
    sql: `FROM (${some.sql}) some_skus ${prices('some_skus')} ${products} ${join} WHERE ${IS_SHOWN}`,
    parameters: [...some.parameters, priceList, ...ofJoin],
    key: ['some_skus.SKU'],
  };
}

/** @throws {InvariantViolation} if a key does not sort after the key before it */
function assertAscending(before: Key, keys: readonly Key[]): void {
  for (const key of keys) {
    if (!isAfter(key, before)) {
      const message = `The keys of elements are not strictly ascending: ${key.join(', ')} follows ${before.join(', ')}`;
      throw new InvariantViolation('order', message);
    }
    before = key;
  }
}
