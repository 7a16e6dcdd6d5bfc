/**
 * Invariants of every response, checked while it is built:
 * - `order`: the keys of the elements are strictly ascending.
 * - `net_price`: no net price exceeds its list price.
 * - `snapshot`: the snapshot shows the versions of the `ETag` until its end.
 * - `last_sku`: the last element has the SKU in `X-Last-SKU`.
 */
export const INVARIANTS = ['order', 'net_price', 'snapshot', 'last_sku'] as const;

export type Invariant = (typeof INVARIANTS)[number];

/** A response would be wrong. The service must not send it, or must abort it. */
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

/** How many violations of each invariant this process has detected. */
export const violations: Readonly<Record<Invariant, number>> = counts;
