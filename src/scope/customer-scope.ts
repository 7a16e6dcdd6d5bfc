import { InvariantViolation } from '../invariants/invariants.js';
import type { PartStates } from '../versions/content-versions.js';

/** The customer of a request, with everything that a response to it depends on. */
export interface CustomerScope {
  readonly customerCode: string;
  readonly terms: CustomerTerms;
  /** The parts of the content that the customer may see, as they are now. */
  readonly parts: PartStates;
}

/**
 * The terms of a customer: the first argument of every catalogue query. The `ETag` names all of them, so a body may
 * depend on each. It cannot depend on the customer itself, whose code is not among them.
 */
export interface CustomerTerms {
  /** The assigned price list; null: none, so nothing is eligible. */
  readonly priceList: PriceListTerms | null;
  /** The code of the assigned warehouse; null: none, so there is no stock to show. */
  readonly warehouseCode: string | null;
  /** 0 to 100, a decimal as text. */
  readonly discountPercentage: string;
}

interface PriceListTerms {
  readonly code: string;
  readonly name: string | null;
  /** ISO 4217. */
  readonly currencyCode: string;
}

/** The columns that select a customer's rows, each with the customer's value of it. null: nothing is assigned. */
const DIVISIONS = {
  PriceListCode: ({ priceList }: CustomerTerms) => priceList?.code ?? null,
  WarehouseCode: ({ warehouseCode }: CustomerTerms) => warehouseCode,
};

/** A column that selects a customer's rows. A table that has it shows the rows with the customer's value alone. */
export type Division = keyof typeof DIVISIONS;

export const isDivision = (column: string): column is Division => Object.hasOwn(DIVISIONS, column);

/** The customer's value of a column. */
export function valueOf(column: Division, terms: CustomerTerms): string | null {
  return DIVISIONS[column](terms);
}

/**
 * Compares two reads of a customer's scope from one snapshot.
 * @throws {InvariantViolation} if they differ: what was read between them is not from one state of the content
 */
export function assertSameScope(first: CustomerScope, second: CustomerScope | undefined): void {
  if (JSON.stringify(first) === JSON.stringify(second)) return;
  throw new InvariantViolation('snapshot', 'The snapshot shows another state of the content than at its beginning');
}
