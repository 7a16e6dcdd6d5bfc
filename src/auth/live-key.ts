import { timeOrNull } from '../database/utc-time.js';

/** A key is live if this SQL condition holds and {@link hasExpired} returns false for its `ExpiresAt`. */
export const UNREVOKED = 'api_keys.RevokedAt IS NULL';

/**
 * Whether a key with this `ExpiresAt` has expired. A value that is no point in time comes from another program. It counts
 * as expired, so that a mistake there does not make a key valid for ever (decision 124).
 */
export function hasExpired(expiresAt: unknown): boolean {
  if (expiresAt === null) return false;
  const end = timeOrNull(expiresAt);
  return end === null || end.getTime() <= Date.now();
}
