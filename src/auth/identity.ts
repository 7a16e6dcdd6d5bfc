import type { Request } from 'express';
import type { Grant } from './grant.js';

/** A customer whose access token or API key was verified. */
export interface CustomerIdentity {
  readonly kind: 'customer';
  readonly customerCode: string;
  /** Its own limits; null: the default ones. */
  readonly requestsPerMinute: number | null;
  readonly requestsPerHour: number | null;
  readonly grant: Grant;
}

/** What metering needs to know of a customer. */
export type MeteredCustomer = Omit<CustomerIdentity, 'grant'>;

/** Who a request comes from, as far as that is proven. */
export type Identity =
  | CustomerIdentity
  /** No bearer token was sent. */
  | { readonly kind: 'none' }
  /** The token is not valid; `reason` tells the client why. `wasValid`: this service signed it, and it was valid once. */
  | { readonly kind: 'invalid'; readonly reason: string; readonly wasValid: boolean }
  /** The credentials could not be checked: the database did not respond. */
  | { readonly kind: 'unverified' };

const identities = new WeakMap<Request, Identity>();

/** Records the identity that a verification of this request found. */
export function setIdentity(request: Request, identity: Identity): void {
  identities.set(request, identity);
}

/** The Customer Code that a request proved, if it did, and as far as it got. */
export function provenCustomer(request: Request): string | undefined {
  const identity = identities.get(request);
  return identity?.kind === 'customer' ? identity.customerCode : undefined;
}

/** The identity of a request. @throws if nothing verified it: no code may take that for "none". */
export function identityOf(request: Request): Identity {
  const identity = identities.get(request);
  if (!identity) throw new Error('The identity of this request was never verified');
  return identity;
}
