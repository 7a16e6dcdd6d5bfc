import { isCustomerCode } from '../customers/customer.entity.js';
import type { CustomerIdentity } from './identity.js';

/** Lifetime of an access token, in seconds. */
export const LIFETIME_SECONDS = 3600;

/** Tolerated difference between the clocks of two replicas, in seconds. */
export const CLOCK_TOLERANCE_SECONDS = 5;

/** The largest value of an integer column in MySQL. */
const MAX_INTEGER = 2 ** 31 - 1;

/** The claims of an access token that differ between tokens. Times are in seconds since 1970. */
export interface AccessTokenClaims {
  /** Customer Code. */
  sub: string;
  iat: number;
  exp: number;
  /** The customer's own limits per minute and per hour. If absent, the default limits apply. */
  rpm?: number;
  rph?: number;
  /** ID of the API key that the token was issued for. Absent from tokens of the previous release. */
  api_key_id?: number;
  /** The customer's latest deactivation before the token was issued, in milliseconds since 1970. Absent if none. */
  deactivated_at?: number;
}

type UnverifiedClaims = Record<keyof AccessTokenClaims, unknown>;

/** Returns the claims of a new token for the customer. */
export function claimsOf(customer: CustomerIdentity): AccessTokenClaims {
  const { apiKeyId, deactivatedAt, issuedAt } = customer.grant;
  return {
    sub: customer.customerCode,
    iat: issuedAt,
    exp: issuedAt + LIFETIME_SECONDS,
    rpm: customer.requestsPerMinute ?? undefined,
    rph: customer.requestsPerHour ?? undefined,
    api_key_id: apiKeyId,
    deactivated_at: deactivatedAt ?? undefined,
  };
}

/**
 * Returns the customer that the claims of a correctly signed token name. Returns null if {@link claimsOf} cannot have
 * produced these claims.
 * @param now seconds since 1970
 */
export function customerOf(claims: UnverifiedClaims, now: number): CustomerIdentity | null {
  if (!areValid(claims, now)) return null;
  return {
    kind: 'customer',
    customerCode: claims.sub,
    requestsPerMinute: claims.rpm ?? null,
    requestsPerHour: claims.rph ?? null,
    grant: { apiKeyId: claims.api_key_id, deactivatedAt: claims.deactivated_at ?? null, issuedAt: claims.iat },
  };
}

/** Whether a limit or an ID is a positive integer that its column can store. */
export function isPositiveInteger(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) >= 1 && Number(value) <= MAX_INTEGER;
}

const optional = (check: (value: unknown) => boolean) => (value: unknown) => value === undefined || check(value);

const CHECKS: Readonly<Record<keyof AccessTokenClaims, (value: unknown) => boolean>> = {
  sub: isCustomerCode,
  iat: Number.isFinite,
  exp: Number.isFinite,
  rpm: optional(isPositiveInteger),
  rph: optional(isPositiveInteger),
  api_key_id: optional(isPositiveInteger),
  deactivated_at: optional(Number.isSafeInteger),
};

function areValid(claims: UnverifiedClaims, now: number): claims is UnverifiedClaims & AccessTokenClaims {
  if (!Object.entries(CHECKS).every(([name, check]) => check(claims[name as keyof UnverifiedClaims]))) return false;
  const { iat, exp } = claims as AccessTokenClaims;
  return iat <= now + CLOCK_TOLERANCE_SECONDS && exp <= iat + LIFETIME_SECONDS + CLOCK_TOLERANCE_SECONDS;
}
