import type { SkuSelection } from '../assortment/assortment.js';
import type { Snapshot } from '../database/engine.js';
import type { CustomerTerms } from '../scope/customer-scope.js';
import type { ElementBatches } from './format.js';

/** Reads the elements of an endpoint, in the order of their SKUs. */
export interface Elements {
  /**
   * The elements as JSON, the separator (one byte) before each, in batches. No batch is empty.
   * @param among only elements whose SKUs this selects
   */
  elements(snapshot: Snapshot, terms: CustomerTerms, separator: string, among?: SkuSelection): ElementBatches;
  /** The SKU of the last element, found without reading the others. Undefined: there is no element. */
  lastSku(snapshot: Snapshot, terms: CustomerTerms): Promise<string | undefined>;
  /** Those of the SKUs that have an element. */
  skus(snapshot: Snapshot, terms: CustomerTerms, skus: readonly string[]): Promise<ReadonlySet<string>>;
}
