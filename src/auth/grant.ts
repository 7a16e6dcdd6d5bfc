import type { Row } from '../database/query.js';
import { timeOrNull } from '../database/utc-time.js';

/** What an access token is based on. The token ends when its key ends or its customer is deactivated. */
export interface Grant {
  /** ID of the API key; undefined: the token was issued by the previous release. */
  readonly apiKeyId: number | undefined;
  /** The customer's latest deactivation at the time of issue, in milliseconds since 1970; null: none. */
  readonly deactivatedAt: number | null;
  /** Seconds since 1970. */
  readonly issuedAt: number;
}

/** The current state of a grant's key and customer. */
export interface GrantState {
  /** The key exists, belongs to the customer, is not revoked and has not expired. */
  readonly keyIsLive: boolean;
  /** The customer's latest deactivation, in milliseconds since 1970; null: none. */
  readonly deactivatedAt: number | null;
}

/**
 * A row's `customers.DeactivatedAt`, as grants contain it. An impossible time (decision 124) counts as 1970: it ends
 * earlier tokens, and new ones work.
 */
export function deactivationOf({ DeactivatedAt: time }: Row): number | null {
  return time === null ? null : (timeOrNull(time)?.getTime() ?? 0);
}

/**
 * Whether the grant has ended although its customer is active. Deactivations are compared for equality rather than with
 * the time of issue: tokens count in whole seconds, and the clocks of replicas and commands differ.
 */
export function isRevoked(grant: Grant, { keyIsLive, deactivatedAt }: GrantState): boolean {
  if (grant.apiKeyId === undefined) return deactivatedAt !== null && grant.issuedAt * 1000 <= deactivatedAt;
  return !keyIsLive || grant.deactivatedAt !== deactivatedAt;
}
