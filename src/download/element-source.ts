import type { Snapshot } from '../database/engine.js';
import type { CustomerTerms } from '../scope/customer-scope.js';
import type { ElementBatches } from './format.js';
import type { Content } from './representation.js';

/** What a data endpoint returns. */
export interface ElementSource extends Content {
  /** Whether finished bodies may be sent again. Stock is always read from the database (interface §4, rule 2). */
  readonly isCacheable: boolean;
  /** The keys of each element, in order. */
  readonly keys: readonly string[];
  /** The elements as JSON, the separator (one byte) before each, in batches; no batch is empty. */
  elements(snapshot: Snapshot, terms: CustomerTerms, separator: string): ElementBatches;
  /** The SKU of the last element, found without reading the others; undefined: there is no element. */
  lastSku(snapshot: Snapshot, terms: CustomerTerms): Promise<string | undefined>;
}
