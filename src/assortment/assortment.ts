import { ProductPrice } from '../pricing/product-price.entity.js';
import { Product } from '../catalog/product.entity.js';
import { yieldToEventLoop } from '../event-loop/yield-to-event-loop.js';
import { InvariantViolation } from '../invariants/invariants.js';
import type { CustomerTerms } from '../scope/customer-scope.js';
import type { Query, Row } from '../database/query.js';
import { oneOf } from '../database/sku-conditions.js';
import type { Snapshot, SqlPart } from '../database/engine.js';
import type { Resource } from '../resource/field.decorator.js';
import { behindKey } from '../database/behind-key.js';
import { isBehind, type Key } from './key-order.js';

/** A status of exactly this spelling takes a product out of every answer. */
const OBSOLETE = 'OBSOLETE';

/** Whether this status takes a product out of every response. */
export const isHidden = (status: unknown) => status === OBSOLETE;

/** The condition that the status of a product does not hide it. */
const IS_SHOWN = `(products.Status IS NULL OR products.Status <> '${OBSOLETE}')`;

/** The condition that there is a product, in a statement that may lack one, and that its status does not hide it. */
export const isVisible = `products.SKU IS NOT NULL AND ${IS_SHOWN}`;

/** Small rows read at once: few enough that a first byte comes early and memory stays small. */
const BATCH_SIZE = 1000;

/** The entities whose rows decide which SKUs are eligible: every response depends on them. */
export const ASSORTMENT_ENTITIES: readonly Resource[] = [Product, ProductPrice];

/** A table to join to those of the assortment. An inner join leaves out the SKUs that have no row there. */
interface FurtherTable {
  join: string;
  parameters: readonly unknown[];
}

/** A table that may have several rows for one SKU. Each of its rows is an element. */
interface ElementTable {
  name: string;
  /** Which of its rows the customer sees; '' for all. */
  condition: string;
  parameters: readonly unknown[];
  /** The columns that tell the rows of one SKU apart, in the order of the elements. */
  key: readonly string[];
}

/** The tables of an assortment: its own alone, a further one joined to them, or one with the elements. */
export interface AssortmentTables {
  further?: FurtherTable;
  elements?: ElementTable;
  /** Only SKUs that this statement selects. */
  among?: SkuSelection;
}

/** A statement that selects different SKUs. @param after only those behind it */
export type SkuSelection = (after: string) => SqlPart;

/** Which columns to read for each row of an assortment. */
export interface AssortmentSelection extends AssortmentTables {
  /** A SELECT list over `prices`, `products` and the other table. `SKU` and the rest of the key are among its names. */
  select: string;
  /** How many rows to read next, where the usual number may be too much; asked before those just read are handed on. */
  batch?: () => number;
}

/**
 * The assortment of a customer: the priced, existing and not obsolete SKUs of its price list, in code-point order, in
 * batches. Every data endpoint reads through here, so that all of them agree on what is eligible. Each batch begins
 * behind the key of the row before it.
 * @throws {InvariantViolation} if keys do not rise strictly: paging by such keys could lose rows
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
    const behind = behindKey(key, last);
    // One row more: behind the last row of the batch must not come another one with its key, which would be lost.
    const statement = `SELECT ${select} ${sql} AND ${behind.sql} ORDER BY ${key.join(', ')} LIMIT ${limit + 1}`;
    return { limit, rows: snapshot.query(statement, [...parameters, ...behind.parameters]) };
  };
  let last: Key = [''];
  let next = read(last, batch());
  for (let full = true; full;) {
    const rows = await next.rows;
    full = rows.length > next.limit;
    const keys = rows.map((row) => names.map((name) => row[name]));
    assertRising(last, keys);
    if (full) {
      rows.pop();
      last = keys.at(-2)!;
      // The database works on the next batch while this one is written.
      next = read(last, batch());
      // Nobody may ask for it any more.
      next.rows.catch(() => undefined);
      // Until then the statement is only promised, not sent.
      await yieldToEventLoop();
    }
    if (rows.length) yield rows;
  }
}

/**
 * The last SKU of an assortment, in one lookup from the end of the index. @param tables those of the elements
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

/** Those of the SKUs that are in an assortment. @param tables those of the elements */
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

/** Those of the SKUs whose product exists and is not hidden. */
export async function visibleSkus(query: Query, skus: readonly string[]): Promise<ReadonlySet<string>> {
  const { sql, parameters } = oneOf(skus);
  return skuSet(await query(`SELECT SKU FROM products WHERE ${sql} AND ${IS_SHOWN}`, parameters));
}

/** Those of the SKUs that have a price in the list. */
export async function pricedSkus(query: Query, list: string, skus: readonly string[]): Promise<ReadonlySet<string>> {
  const { sql, parameters } = oneOf(skus);
  return skuSet(await query(`SELECT SKU FROM prices WHERE PriceListCode = ? AND ${sql}`, [list, ...parameters]));
}

const skuSet = (rows: readonly Row[]) => new Set(rows.map(({ SKU }) => SKU as string));

/** The tables and the condition of a statement. */
interface Eligible {
  sql: string;
  parameters: readonly unknown[];
  /** The columns by which the rows are ordered, the SKU first. */
  key: readonly string[];
}

/**
 * The first table is the one whose index has the order of the rows: a server would have to sort everything for each
 * batch if the order came from several tables.
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

/** @throws {InvariantViolation} unless each key stands behind the one before it */
function assertRising(before: Key, keys: readonly Key[]): void {
  for (const key of keys) {
    if (!isBehind(key, before)) {
      const message = `The keys of elements do not rise: ${key.join(', ')} comes behind ${before.join(', ')}`;
      throw new InvariantViolation('order', message);
    }
    before = key;
  }
}
