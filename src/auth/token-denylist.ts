import { Injectable } from '@nestjs/common';
import type { CustomerIdentity } from './identity.js';

/** They take about 1 MB. A new entry replaces the oldest one, whose tokens are then looked up once more. */
const MOST_GRANTS = 10_000;

/**
 * The grants that this replica has seen revoked. Their tokens are refused before they are metered, so that a stolen
 * token cannot use up the customer's quota.
 */
@Injectable()
export class TokenDenylist {
  /** For each grant the second up to which its tokens are revoked. */
  private readonly revokedUntil = new Map<string, number>();

  /** Denies all tokens that were issued on the customer's grant up to now. */
  add(customer: CustomerIdentity): void {
    const { apiKeyId, issuedAt } = customer.grant;
    // Tokens that name no key may come from different keys.
    if (apiKeyId === undefined) return;
    const key = keyOf(customer);
    this.revokedUntil.delete(key);
    this.revokedUntil.set(key, Math.max(issuedAt, Math.floor(Date.now() / 1000)));
    if (this.revokedUntil.size > MOST_GRANTS) this.revokedUntil.delete(this.revokedUntil.keys().next().value!);
  }

  /** Later tokens of a denied grant are not denied: a restored backup may contain the key alive. */
  has(customer: CustomerIdentity): boolean {
    return customer.grant.issuedAt <= (this.revokedUntil.get(keyOf(customer)) ?? -Infinity);
  }
}

function keyOf({ customerCode, grant }: CustomerIdentity): string {
  return `${customerCode} ${grant.apiKeyId} ${grant.deactivatedAt}`;
}
