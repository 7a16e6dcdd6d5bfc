import { turn } from '../database/turn.js';
import type { CustomerTerms } from '../scope/customer-scope.js';
import type { Row } from '../database/query.js';
import type { Snapshot } from '../database/engine.js';

/** A status of exactly this spelling takes a product out of every answer. */
const OBSOLETE = 'OBSOLETE';

/** The condition that the status of a product does not hide it. */
export const isVisible = `products.SKU IS NOT NULL AND (products.Status IS NULL OR products.Status <> '${OBSOLETE}')`;

/** Small rows read at once: few enough that a first byte comes early and memory stays small. */
const BATCH_SIZE = 1000;

/** A table to join to those of the assortment. An inner join leaves out the SKUs that have no row there. */
export interface FurtherTable {
  join: string;
  parameters: readonly unknown[];
}

/** Which columns to read for each SKU of an assortment, and from which further table, if any. */
export interface AssortmentSelection {
  /** A SELECT list over `prices`, `products` and the joined table, with `SKU` among its names. */
  select: string;
  further?: FurtherTable;
  /** How many rows to read next, where the usual number may be too much; asked before those just read are handed on. */
  batch?: () => number;
}

/**
 * The assortment of a customer: the priced, existing and not obsolete SKUs of its price list, in code-point order, in
 * batches. Every data endpoint reads through here, so that all of them agree on what is eligible.
 */
export async function* assortment(
  snapshot: Snapshot,
  terms: CustomerTerms,
  { select, further, batch = () => BATCH_SIZE }: AssortmentSelection,
): AsyncGenerator<Row[]> {
  if (!terms.priceList) return;
  const statement = `SELECT ${select} ${eligible(snapshot, further)} AND prices.SKU > ? ORDER BY prices.SKU LIMIT `;
  const read = (lastSku: string, limit: number) => ({
    limit,
    rows: snapshot.query(statement + limit, [...(further?.parameters ?? []), terms.priceList!.code, lastSku]),
  });
  let next = read('', batch());
  for (let full = true; full;) {
    const rows = await next.rows;
    full = rows.length === next.limit;
    if (full) {
      // The database works on the next batch while this one is written.
      next = read(String(rows.at(-1)!.SKU), batch());
      // Nobody may ask for it any more.
      next.rows.catch(() => undefined);
      // Until then the statement is only promised, not sent.
      await turn();
    }
    if (rows.length) yield rows;
  }
}

/**
 * The last SKU of an assortment, in one lookup from the end of the index. @param further the inner join of the elements,
 * if any
 * @returns undefined if the assortment is empty
 */
export async function lastSkuOf(
  snapshot: Snapshot,
  terms: CustomerTerms,
  further?: FurtherTable,
): Promise<string | undefined> {
  if (!terms.priceList) return undefined;
  const [row] = await snapshot.query(
    `SELECT prices.SKU AS SKU ${eligible(snapshot, further)} ORDER BY prices.SKU DESC LIMIT 1`,
    [...(further?.parameters ?? []), terms.priceList.code],
  );
  return row && String(row.SKU);
}

/** The tables and the condition of every statement here; the code of the price list is the last of its parameters. */
function eligible(snapshot: Snapshot, further?: FurtherTable): string {
  return `
    FROM prices ${snapshot.join('products', 'products_eligibility')} ON products.SKU = prices.SKU ${further?.join ?? ''}
    WHERE prices.PriceListCode = ? AND (products.Status IS NULL OR products.Status <> '${OBSOLETE}')`;
}
