import type { Query, Row } from '../database/query.js';
import { netPrice } from '../pricing/net-price.js';
import { PriceTally, unitsOf } from './price-tally.js';

const BATCH = 1000;
/** Prices are compared if the discount changes by more than 20 percentage points. In ten-thousandths of a point. */
const POINTS = 20n * 10_000n;

/** The terms that determine the prices of a customer. */
export interface PriceTerms {
  PriceListCode: string | null;
  DiscountPercentage: string;
}

/** Terms, and the state of the database that they apply to. */
export interface TermsSide {
  query: Query;
  terms: PriceTerms;
}

/** An operator's change would change too many prices by too much. */
export class PriceChangeRefused extends Error {}

/** Whether a change of a customer's terms requires a comparison of all its prices. */
export function needsComparison(before: PriceTerms, after: PriceTerms): boolean {
  if (before.PriceListCode === null || after.PriceListCode === null) return false;
  const points = unitsOf(after.DiscountPercentage) - unitsOf(before.DiscountPercentage);
  return before.PriceListCode !== after.PriceListCode || points > POINTS || points < -POINTS;
}

/** Compares the net prices of the SKUs that have a price under both terms. Reads them in short statements. */
export async function compareTerms(before: TermsSide, after: TermsSide): Promise<PriceTally> {
  const tally = new PriceTally();
  const currencies = [await currencyOf(before), await currencyOf(after)] as const;
  const sameCurrency = currencies[0] === currencies[1];
  for await (const rows of pricesOf(before)) {
    const others = await pricesOfSkus(
      after,
      rows.map(({ SKU }) => String(SKU)),
    );
    for (const row of rows) {
      const other = others.get(String(row.SKU));
      if (!other) continue;
      const [oldPrice, newPrice] = [net(row, before.terms), net(other, after.terms)];
      const place = () => `SKU ${row.SKU} on list ${after.terms.PriceListCode}`;
      if (sameCurrency) tally.add(oldPrice, newPrice, place);
      else tally.addOtherCurrency(`${oldPrice} ${currencies[0]}`, `${newPrice} ${currencies[1]}`, place);
    }
  }
  return tally;
}

async function currencyOf({ query, terms }: TermsSide): Promise<unknown> {
  const sql = 'SELECT CurrencyCode FROM price_lists WHERE PriceListCode = ?';
  return (await query(sql, [terms.PriceListCode]))[0]?.CurrencyCode;
}

async function* pricesOf({ query, terms }: TermsSide): AsyncGenerator<Row[]> {
  const sql = `SELECT SKU, Price, DiscountEligible FROM prices
    WHERE PriceListCode = ? AND SKU > ? ORDER BY SKU LIMIT ${BATCH}`;
  let last = '';
  for (let full = true; full;) {
    const rows = await query(sql, [terms.PriceListCode, last]);
    if (rows.length) yield rows;
    full = rows.length === BATCH;
    last = String(rows.at(-1)?.SKU);
  }
}

async function pricesOfSkus({ query, terms }: TermsSide, skus: readonly string[]): Promise<Map<string, Row>> {
  const sql = `SELECT SKU, Price, DiscountEligible FROM prices
    WHERE PriceListCode = ? AND SKU IN (${skus.map(() => '?').join()})`;
  const rows = await query(sql, [terms.PriceListCode, ...skus]);
  return new Map(rows.map((row) => [String(row.SKU), row]));
}

function net({ Price, DiscountEligible }: Row, { DiscountPercentage }: PriceTerms): string {
  return netPrice(String(Price), DiscountEligible ? DiscountPercentage : '0');
}
