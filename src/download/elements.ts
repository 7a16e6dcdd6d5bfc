import type { SkuSelection } from '../assortment/assortment.js';
import type { Snapshot } from '../database/engine.js';
import type { CustomerTerms } from '../scope/customer-scope.js';
import type { ElementBatches } from './format.js';

/** Reads the elements of an endpoint, in the order of their SKUs. */
export interface Elements {
  /**
   * Yields the elements as JSON in batches, each element after the separator (one byte). No batch is empty.
   * @param among selects SKUs; elements with other SKUs are omitted
   */
  elements(snapshot: Snapshot, terms: CustomerTerms, separator: string, among?: SkuSelection): ElementBatches;
  /** Returns the SKU of the last element without reading the others. Undefined: there are no elements. */
  lastSku(snapshot: Snapshot, terms: CustomerTerms): Promise<string | undefined>;
  /** Returns the given SKUs that have an element. */
  skus(snapshot: Snapshot, terms: CustomerTerms, skus: readonly string[]): Promise<ReadonlySet<string>>;
}
