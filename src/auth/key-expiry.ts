import { timeOrNull } from '../resource/utc-time.js';

/**
 * Whether a key with this `ExpiresAt` is refused. If the value is no point in time, another program meant to end the key,
 * or made a mistake; a key must not live for ever because of that (decision 124).
 */
export function hasExpired(expiresAt: unknown): boolean {
  if (expiresAt === null) return false;
  const end = timeOrNull(expiresAt);
  return end === null || end.getTime() <= Date.now();
}
