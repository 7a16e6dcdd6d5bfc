import type { CustomerIdentity } from './identity.js';
import { TokenDenylist } from './token-denylist.js';

const NOW = Math.floor(Date.now() / 1000);

const token = (
  apiKeyId: number | undefined,
  issuedAt = NOW - 60,
  deactivatedAt: number | null = null,
): CustomerIdentity => ({
  kind: 'customer',
  customerCode: 'ACME',
  requestsPerMinute: null,
  requestsPerHour: null,
  grant: { apiKeyId, deactivatedAt, issuedAt },
});

test('denies only tokens that were issued on a denied grant up to now (decision 118)', () => {
  const denylist = new TokenDenylist();
  denylist.add(token(1));
  expect([NOW - 3600, NOW - 60, NOW].map((issuedAt) => denylist.has(token(1, issuedAt)))).toEqual([true, true, true]);
  expect(denylist.has(token(1, NOW + 60))).toBe(false);
  expect(denylist.has(token(2))).toBe(false);
  expect(denylist.has(token(1, NOW - 60, 1_796_000_000_500))).toBe(false);
  expect(denylist.has({ ...token(1), customerCode: 'ACME-2' })).toBe(false);
});

test('denies a token from a replica whose clock is fast (decision 20)', () => {
  const denylist = new TokenDenylist();
  denylist.add(token(1, NOW + 4));
  expect(denylist.has(token(1, NOW + 4))).toBe(true);
});

test('denies no token without a key, because such tokens share no grant (decision 116)', () => {
  const denylist = new TokenDenylist();
  denylist.add(token(undefined));
  expect(denylist.has(token(undefined))).toBe(false);
});

test('remembers the latest 10,000 grants (decision 118)', () => {
  const denylist = new TokenDenylist();
  for (let key = 1; key <= 10_000; key++) denylist.add(token(key));
  denylist.add(token(1));
  denylist.add(token(10_001));
  expect([1, 2, 3, 10_001].map((key) => denylist.has(token(key)))).toEqual([true, false, true, true]);
});
