import { pricedSkus, type SkuSelection, visibleSkus } from '../assortment/assortment.js';
import { compareCodePoints } from '../assortment/key-order.js';
import type { Query } from '../database/query.js';
import type { CustomerTerms } from '../scope/customer-scope.js';
import { countChanged, removedSince, selectChanged } from '../versions/change-log.js';
import type { DeltaBase } from './delta-base.js';

/** If more SKUs changed, a delta costs about as much as every element. */
const MOST_CHANGED = 50_000;
/** How many SKUs one statement names. */
const AT_ONCE = 500;

/** The SKUs that changed since a base, in any part that the customer sees. */
export class ChangedSkus {
  private constructor(
    private readonly base: DeltaBase,
    private readonly removed: ReadonlyMap<string, ReadonlySet<string>>,
  ) {}

  /** @returns undefined if there are too many */
  static async since(base: DeltaBase, query: Query): Promise<ChangedSkus | undefined> {
    let count = 0;
    for (const one of base) count += await countChanged(query, one);
    if (count > MOST_CHANGED) return undefined;
    const removed = new Map<string, ReadonlySet<string>>();
    for (const one of base) removed.set(one[0].part, await removedSince(query, one));
    return new ChangedSkus(base, removed);
  }

  /** Selects all of them; undefined: there are none. */
  get selection(): SkuSelection | undefined {
    return this.base.length ? (after) => selectChanged(this.base, after) : undefined;
  }

  /** Those that have left a part since the base, in order, in batches. Every element that is gone has such a SKU. */
  *left(): Generator<readonly string[]> {
    const skus = [...new Set([...this.removed.values()].flatMap((some) => [...some]))].toSorted(compareCodePoints);
    for (let start = 0; start < skus.length; start += AT_ONCE) yield skus.slice(start, start + AT_ONCE);
  }

  /**
   * Those of the SKUs that the customer may have seen since the base: the price list had a price, and the product was
   * not hidden. So no customer reads the SKUs of other price lists.
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
