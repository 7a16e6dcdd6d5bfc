import type { Row } from '../database/query.js';
import { timeOrNull } from '../database/utc-time.js';

/** The basis of an access token. The token ends when its API key ends or its customer is deactivated. */
export interface Grant {
  /** ID of the API key. Undefined in tokens of the previous release. */
  readonly apiKeyId: number | undefined;
  /** The customer's latest deactivation when the token was issued, in milliseconds since 1970. Null if none. */
  readonly deactivatedAt: number | null;
  /** Seconds since 1970. */
  readonly issuedAt: number;
}

/** The current state of a grant's key and customer. */
export interface GrantState {
  /** The key exists, belongs to the customer, is not revoked and has not expired. */
  readonly keyIsLive: boolean;
  /** The customer's latest deactivation, in milliseconds since 1970. Null if none. */
  readonly deactivatedAt: number | null;
}

/**
 * Converts `customers.DeactivatedAt` of a row to the form of a {@link Grant}. An invalid time (decision 124) counts as
 * 1970. Such a value ends all tokens that were issued before it was stored. New tokens work.
 */
export function deactivationOf({ DeactivatedAt: time }: Row): number | null {
  return time === null ? null : (timeOrNull(time)?.getTime() ?? 0);
}

/**
 * Whether the grant has ended although its customer is active. This function compares the two deactivations for
 * equality. It cannot compare the deactivation with the time of issue: tokens contain whole seconds, and the clocks of
 * replicas and commands differ.
 */
export function isRevoked(grant: Grant, { keyIsLive, deactivatedAt }: GrantState): boolean {
  if (grant.apiKeyId === undefined) return deactivatedAt !== null && grant.issuedAt * 1000 <= deactivatedAt;
  return !keyIsLive || grant.deactivatedAt !== deactivatedAt;
}
