import type { PriceChanges } from '../guard/price-tally.js';
import { visible } from '../import/excerpt.js';
import type { ImportSummary } from '../import/import-summary.js';
import type { ListPreview, Preview, Visibility } from '../import/preview.js';
import { table } from './table.js';

const COLUMNS = {
  visible: 'visible',
  hiddenByStatus: 'hidden by status',
  withoutPrice: 'no price',
  withoutName: 'no name',
  withoutPicture: 'no picture',
  withoutBarcode: 'no barcode',
  withoutStock: 'no stock',
} as const satisfies Record<keyof Visibility, string>;

/** Lines that show how prices would change and what customers would see. */
export function previewText(changes?: PriceChanges, preview?: Preview): string[] {
  const changed = changes && (preview || changes.compared !== changes.histogram['0']);
  return [...(changed ? histogram(changes) : []), ...(preview ? seen(preview) : [])];
}

function histogram({ compared, fromZero, otherCurrency, histogram: counts, powersOfTen }: PriceChanges): string[] {
  const ranges = Object.entries(counts).filter(([, count]) => count);
  const parts = ranges.map(([range, count]) => `${count} ${range === '0' ? 'unchanged' : `by ${range} %`}`);
  const powers = Object.entries(powersOfTen).map(([factor, count]) => `${count} are ${factor} times the old price`);
  const others = [
    ...(otherCurrency ? [`${otherCurrency} in another currency`] : []),
    ...(fromZero ? [`${fromZero} more had a price of 0`] : []),
  ];
  return [`Price changes of ${compared} stored prices: ${[...parts, ...powers, ...others].join(', ') || 'none'}`];
}

function seen({ priceLists, sample }: Preview): string[] {
  const names = Object.keys(COLUMNS) as (keyof Visibility)[];
  const rows = priceLists.map((list) => [list.priceList, ...names.map((name) => change(list, name))]);
  const counts = table(['price list', ...Object.values(COLUMNS)], rows);
  if (!sample) return [counts];
  const { sku, customerCode, priceList, before, after } = sample;
  const who = customerCode === null ? `price list ${priceList}, without a discount` : `customer ${customerCode}`;
  return [
    counts,
    visible(`GET /products, SKU ${sku}, ${who}:`),
    `  before: ${body(before)}`,
    `  after:  ${body(after)}`,
  ];
}

const body = (text: string | null) => visible(text ?? 'not returned');

/** A count, or the old and the new count if it changes. */
function change({ before, after }: ListPreview, name: keyof Visibility): string {
  const [old, now] = [before, after].map((counts) => String(counts?.[name] ?? '-'));
  return old === now ? now! : `${old} -> ${now}`;
}

/** The summary as JSON. The sample product is exactly as the service sends it, so numbers keep all their digits. */
export function withExactSample(summary: ImportSummary & { outcome: string }): string {
  const sample = summary.preview?.sample;
  const text = JSON.stringify(summary, null, 2);
  if (!sample) return text;
  return embed(embed(text, 'before', sample.before), 'after', sample.after);
}

function embed(text: string, key: 'before' | 'after', raw: string | null): string {
  return raw === null ? text : text.replace(`"${key}": ${JSON.stringify(raw)}`, () => `"${key}": ${raw}`);
}
