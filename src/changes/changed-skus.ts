import { pricedSkus, type SkuSelection, visibleSkus } from '../assortment/assortment.js';
import { compareCodePoints } from '../assortment/key-order.js';
import type { Query } from '../database/query.js';
import type { CustomerTerms } from '../scope/customer-scope.js';
import {
  changedRanges,
  countChanged,
  LATEST,
  removedSince,
  selectChanged,
  type SkuRange,
} from '../versions/change-log.js';
import type { DeltaBase } from './delta-base.js';

/** If more SKUs changed, a delta costs about as much as a complete response. */
const MOST_CHANGED = 50_000;
/** How many SKUs one statement contains. */
const AT_ONCE = 500;
/** Each batch of elements selects the rest of its range, so the cost of a delta would grow with the square of a range. */
const RANGE_SIZE = 2000;

/** The SKUs that changed since a base, in any part that the customer sees. */
export class ChangedSkus {
  private constructor(
    private readonly base: DeltaBase,
    private readonly ranges: readonly SkuRange[],
    private readonly removed: ReadonlyMap<string, ReadonlySet<string>>,
  ) {}

  /** @returns undefined if there are too many */
  static async since(base: DeltaBase, query: Query): Promise<ChangedSkus | undefined> {
    const counts = await Promise.all(base.map((one) => countChanged(query, one)));
    const count = counts.reduce((sum, { changed }) => sum + changed, 0);
    if (count > MOST_CHANGED) return undefined;
    const removed = new Map<string, ReadonlySet<string>>();
    for (const [index, one] of base.entries())
      if (counts[index]!.removed) removed.set(one[0].part, await removedSince(query, one));
    return new ChangedSkus(base, await rangesOf(base, count, query), removed);
  }

  /** Selections that together contain every changed SKU, in order. */
  get selections(): SkuSelection[] {
    // Before the first batch of a range, `after` is empty.
    return this.ranges.map(
      ([start, last]) =>
        (after) =>
          selectChanged(this.base, [after || start, last]),
    );
  }

  /**
   * The SKUs that have left a part since the base, in order, in batches. The SKU of every removed element is among
   * them.
   */
  *left(): Generator<readonly string[]> {
    const skus = [...new Set([...this.removed.values()].flatMap((some) => [...some]))].toSorted(compareCodePoints);
    for (let start = 0; start < skus.length; start += AT_ONCE) yield skus.slice(start, start + AT_ONCE);
  }

  /**
   * The subset of these SKUs that the customer may have seen since the base: the price list had a price, and the
   * product was not hidden. No customer therefore sees the SKUs of other price lists.
   */
  async seenBefore(skus: readonly string[], { priceList }: CustomerTerms, query: Query): Promise<string[]> {
    if (!priceList || !skus.length) return [];
    const visible = await visibleSkus(query, skus);
    const priced = await pricedSkus(query, priceList.code, skus);
    return skus.filter(
      (sku) => (visible.has(sku) || this.hasLeft('products', sku)) && (priced.has(sku) || this.hasLeft('prices', sku)),
    );
  }

  private hasLeft(part: string, sku: string): boolean {
    return this.removed.get(part)?.has(sku) ?? false;
  }
}

async function rangesOf(base: DeltaBase, count: number, query: Query): Promise<SkuRange[]> {
  if (!count) return [];
  return count > RANGE_SIZE ? changedRanges(query, base, RANGE_SIZE) : [[LATEST]];
}
