import { Injectable } from '@nestjs/common';
import type { CustomerIdentity } from './identity.js';

/** About 1 MB. Beyond this number a new grant replaces the oldest one, whose tokens then need a lookup again. */
const MAX_GRANTS = 10_000;

/**
 * The grants that this replica knows to be revoked. It refuses their tokens before metering, so that a stolen token
 * cannot exhaust the customer's quota.
 */
@Injectable()
export class TokenDenylist {
  /** For each grant, the time up to which its tokens are revoked, in seconds since 1970. */
  private readonly revokedUntil = new Map<string, number>();

  /** Denies all tokens that were issued on the customer's grant up to now. */
  add(customer: CustomerIdentity): void {
    const { apiKeyId, issuedAt } = customer.grant;
    // Tokens without a key ID may belong to different keys.
    if (apiKeyId === undefined) return;
    const key = keyOf(customer);
    this.revokedUntil.delete(key);
    this.revokedUntil.set(key, Math.max(issuedAt, Math.floor(Date.now() / 1000)));
    if (this.revokedUntil.size > MAX_GRANTS) this.revokedUntil.delete(this.revokedUntil.keys().next().value!);
  }

  /** Tokens issued later on a denied grant are not denied, because the key may be live again in a restored backup. */
  has(customer: CustomerIdentity): boolean {
    return customer.grant.issuedAt <= (this.revokedUntil.get(keyOf(customer)) ?? -Infinity);
  }
}

function keyOf({ customerCode, grant }: CustomerIdentity): string {
  return `${customerCode} ${grant.apiKeyId} ${grant.deactivatedAt}`;
}
