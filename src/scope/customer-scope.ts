import { InvariantViolation } from '../invariants/invariants.js';
import type { PartTimes, PartVersions } from '../versions/content-versions.js';

/** The customer of a request, with everything that an `ETag` depends on. */
export interface CustomerScope {
  readonly customerCode: string;
  readonly terms: CustomerTerms;
  /** The versions of the content parts that the customer may see. */
  readonly versions: PartVersions;
}

/** The scope in the snapshot that a 200 is read from. */
export interface SnapshotScope extends CustomerScope {
  /** Only a 200 shows these times, so a 304 does not read them. */
  readonly changedAt: PartTimes;
}

/**
 * The terms of a customer. The `ETag` depends on all of them, so a body may depend on each of them. A body must not depend
 * on the customer code, which is not part of the terms.
 */
export interface CustomerTerms {
  /** The assigned price list. Without one (null), no SKU is eligible. */
  readonly priceList: PriceListTerms | null;
  /** The code of the assigned warehouse. Without one (null), the customer sees no stock. */
  readonly warehouseCode: string | null;
  /** A decimal from 0 to 100, as text. */
  readonly discountPercentage: string;
}

interface PriceListTerms {
  readonly code: string;
  readonly name: string | null;
  /** An ISO 4217 code. */
  readonly currencyCode: string;
}

/** The columns that select a customer's rows, each with the customer's value. It is null if nothing is assigned. */
const DIVISIONS = {
  PriceListCode: ({ priceList }: CustomerTerms) => priceList?.code ?? null,
  WarehouseCode: ({ warehouseCode }: CustomerTerms) => warehouseCode,
};

/** A column that selects a customer's rows. If a table has it, the customer sees only rows with its own value. */
export type Division = keyof typeof DIVISIONS;

export const isDivision = (column: string): column is Division => Object.hasOwn(DIVISIONS, column);

/** Returns the customer's value of a column. */
export function valueOf(column: Division, terms: CustomerTerms): string | null {
  return DIVISIONS[column](terms);
}

/**
 * Compares two reads of a customer's scope from one snapshot.
 * @throws {InvariantViolation} if they differ, because the reads between them mix two states of the content
 */
export function assertSameScope(first: SnapshotScope, second: SnapshotScope | undefined): void {
  if (JSON.stringify(first) === JSON.stringify(second)) return;
  throw new InvariantViolation('snapshot', 'The snapshot shows another state of the content than at its start');
}
