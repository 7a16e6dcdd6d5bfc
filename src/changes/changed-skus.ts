import { pricedSkus, visibleSkus } from '../assortment/assortment.js';
import { compareCodePoints } from '../assortment/key-order.js';
import type { Query } from '../database/query.js';
import type { CustomerTerms } from '../scope/customer-scope.js';
import { changedSince } from '../versions/change-log.js';
import type { DeltaBase } from './delta-base.js';

/** From so many changes on, a delta is hardly cheaper than every element. Their SKUs are in memory. */
const MOST_CHANGED = 50_000;
/** How many SKUs one statement names. */
const AT_ONCE = 500;

type Changes = ReadonlyMap<string, boolean>;

/** The SKUs that changed since a base, in any part that the customer sees. */
export class ChangedSkus {
  private constructor(
    private readonly changed: Changes,
    private readonly leftProducts: Changes,
    private readonly leftPrices: Changes,
  ) {}

  /** @returns undefined if there are too many */
  static async since(base: DeltaBase, query: Query): Promise<ChangedSkus | undefined> {
    const changed = new Map<string, boolean>();
    const byPart = new Map<string, Changes>();
    for (const [part, counter] of base) {
      const changes = await changedSince(query, part, counter, MOST_CHANGED);
      byPart.set(part.part, changes);
      for (const [sku, hasLeft] of changes) changed.set(sku, hasLeft || changed.get(sku) === true);
      if (changed.size > MOST_CHANGED) return undefined;
    }
    const ordered = [...changed].toSorted(([one], [other]) => compareCodePoints(one, other));
    const none: Changes = new Map();
    return new ChangedSkus(new Map(ordered), byPart.get('products') ?? none, byPart.get('prices') ?? none);
  }

  /** All of them, in order, in batches. */
  all(): Iterable<readonly string[]> {
    return batchesOf([...this.changed.keys()]);
  }

  /** Those that have left a part since the base, in order, in batches. Every element that is gone has such a SKU. */
  left(): Iterable<readonly string[]> {
    return batchesOf([...this.changed].flatMap(([sku, hasLeft]) => (hasLeft ? [sku] : [])));
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
      (sku) =>
        (visible.has(sku) || this.leftProducts.get(sku) === true) &&
        (priced.has(sku) || this.leftPrices.get(sku) === true),
    );
  }
}

function* batchesOf(skus: readonly string[]): Generator<readonly string[]> {
  for (let start = 0; start < skus.length; start += AT_ONCE) yield skus.slice(start, start + AT_ONCE);
}
