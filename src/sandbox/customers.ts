import type { Settings } from '../config/settings.js';
import type { CustomerChanges } from '../customers/customers.service.js';
import { trickle, truncate } from './bodies.js';
import { exceedQuota, failUnexpectedly, type Outcome, refuseAsRevoked } from './errors.js';

/** The key of every customer of a sandbox. It is published in docs/integration/testing.md. */
export const PUBLISHED_KEY = 'the-published-key-of-the-sandbox';

/** Integrators share these customers. With the default limits, they would soon get a 429 instead of their outcome. */
const HIGH = { RequestsPerMinute: 6000, RequestsPerHour: 100_000 };

interface SandboxCustomer {
  readonly outcome: Outcome;
  /** The endpoints with this outcome: those that return data, or all that need a token. */
  readonly on: 'data' | 'every token';
  readonly limits: CustomerChanges;
}

/** The customers whose requests always have one outcome. */
export function sandboxCustomers(settings: Settings): ReadonlyMap<string, SandboxCustomer> {
  const rate = 2 * settings.DOWNLOAD_MIN_BYTES_PER_SECOND;
  return new Map<string, SandboxCustomer>([
    ['SANDBOX-401', { outcome: refuseAsRevoked, on: 'every token', limits: HIGH }],
    // A 429 names the default limits, as it does for most customers.
    ['SANDBOX-429', { outcome: exceedQuota, on: 'every token', limits: {} }],
    ['SANDBOX-500', { outcome: failUnexpectedly, on: 'data', limits: HIGH }],
    ['SANDBOX-SLOW', { outcome: trickle(rate), on: 'data', limits: HIGH }],
    ['SANDBOX-TRUNCATED', { outcome: truncate, on: 'data', limits: HIGH }],
  ]);
}
