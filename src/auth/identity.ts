import type { Request } from 'express';
import { SymbolProperty } from '../http/symbol-property.js';
import type { Grant } from './grant.js';

/** A customer whose access token or API key was verified. */
export interface CustomerIdentity {
  readonly kind: 'customer';
  readonly customerCode: string;
  /** The customer's own limits. Null: the default limit applies. */
  readonly requestsPerMinute: number | null;
  readonly requestsPerHour: number | null;
  readonly grant: Grant;
}

/** The part of a customer's identity that metering needs. */
export type MeteredCustomer = Omit<CustomerIdentity, 'grant'>;

/** The verified origin of a request. */
export type Identity =
  | CustomerIdentity
  /** The client sent no bearer token. */
  | { readonly kind: 'none' }
  /**
   * The token is invalid; `reason` is part of the response. `wasValid`: this service issued it, and it was valid once.
   */
  | { readonly kind: 'invalid'; readonly reason: string; readonly wasValid: boolean }
  /** The credentials could not be checked, because the database did not respond. */
  | { readonly kind: 'unverified' };

const identities = new SymbolProperty<Request, Identity>('identity');

/** Records the verified identity of a request. */
export function setIdentity(request: Request, identity: Identity): void {
  identities.set(request, identity);
}

/** Returns the verified customer of a request; undefined if there is none, or if verification has not run yet. */
export function provenCustomer(request: Request): CustomerIdentity | undefined {
  const identity = identities.get(request);
  return identity?.kind === 'customer' ? identity : undefined;
}

/**
 * Returns the identity of a request. @throws if verification has not run, so that no code mistakes this for a request
 * without a token
 */
export function identityOf(request: Request): Identity {
  const identity = identities.get(request);
  if (!identity) throw new Error('The identity of this request was not verified');
  return identity;
}
