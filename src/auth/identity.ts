import type { Request } from 'express';

/** Who a request comes from, as far as that is proven. */
export type Identity =
  /** A valid access token of this customer. */
  | { kind: 'customer'; customerCode: string }
  /** No bearer token was sent. */
  | { kind: 'none' }
  /** What was sent is not a valid access token; `reason` says why, for the caller. */
  | { kind: 'invalid'; reason: string };

const identities = new WeakMap<Request, Identity>();

/** Records the identity that the one verification of this request found. */
export function setIdentity(request: Request, identity: Identity): void {
  identities.set(request, identity);
}

/** The identity of a request. @throws if nothing verified it: no code may take that for "none". */
export function identityOf(request: Request): Identity {
  const identity = identities.get(request);
  if (!identity) throw new Error('The identity of this request was never verified');
  return identity;
}
