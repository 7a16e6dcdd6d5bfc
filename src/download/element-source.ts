import type { Snapshot } from '../database/engine.js';
import type { CustomerTerms } from '../scope/customer-scope.js';
import type { ElementBatches } from './format.js';

/** Reads the elements of an endpoint, in the order of their SKUs. */
export interface Elements {
  /**
   * The elements as JSON, the separator (one byte) before each, in batches. No batch is empty.
   * @param among only elements with these SKUs, which are in order
   */
  elements(snapshot: Snapshot, terms: CustomerTerms, separator: string, among?: readonly string[]): ElementBatches;
  /** The SKU of the last element, found without reading the others. Undefined: there is no element. */
  lastSku(snapshot: Snapshot, terms: CustomerTerms): Promise<string | undefined>;
  /** Those of the SKUs that have an element. */
  skus(snapshot: Snapshot, terms: CustomerTerms, among: readonly string[]): Promise<ReadonlySet<string>>;
}
