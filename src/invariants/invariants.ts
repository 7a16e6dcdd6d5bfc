/**
 * What every response must satisfy, checked while it is made:
 * - `order`: the keys of the elements rise strictly.
 * - `net_price`: no net price exceeds its list price.
 * - `snapshot`: the versions in the `ETag` are those of the snapshot until its end.
 * - `last_sku`: the last element is the one that `X-Last-SKU` names.
 */
export const INVARIANTS = ['order', 'net_price', 'snapshot', 'last_sku'] as const;

export type Invariant = (typeof INVARIANTS)[number];

/** A response would be wrong. It must not be sent, or must not come to its end. */
export class InvariantViolation extends Error {
  constructor(
    readonly invariant: Invariant,
    message: string,
  ) {
    super(message);
    counts[invariant]++;
  }
}

const counts = Object.fromEntries(INVARIANTS.map((invariant) => [invariant, 0])) as Record<Invariant, number>;

/** How many violations of each this process has seen. */
export const violations: Readonly<Record<Invariant, number>> = counts;
