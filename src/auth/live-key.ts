import { timeOrNull } from '../database/utc-time.js';

/** A key is live if this SQL condition is true and {@link hasExpired} returns false for its `ExpiresAt`. */
export const UNREVOKED = 'api_keys.RevokedAt IS NULL';

/**
 * Whether a key with this `ExpiresAt` has expired. Only another program can have stored a value that is not a time.
 * Such a value counts as expired, so that a mistake of that program does not make a key valid forever (decision 124).
 */
export function hasExpired(expiresAt: unknown): boolean {
  if (expiresAt === null) return false;
  const end = timeOrNull(expiresAt);
  return end === null || end.getTime() <= Date.now();
}

/** Whether a key with this `ExpiresAt` still works at that time. */
export function lastsLonger(expiresAt: unknown, time: Date): boolean {
  return expiresAt === null || (timeOrNull(expiresAt) ?? time) > time;
}
