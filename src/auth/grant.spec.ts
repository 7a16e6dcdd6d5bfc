import { type Grant, type GrantState, isRevoked } from './grant.js';

const [SECOND, DEACTIVATED] = [1_796_000_000, 1_796_000_000_500];
const GRANT: Grant = { apiKeyId: 7, deactivatedAt: null, issuedAt: SECOND };
const STATE: GrantState = { keyIsLive: true, deactivatedAt: null };

test.each<[string, Partial<Grant>, Partial<GrantState>, boolean]>([
  ['a live key', {}, {}, false],
  ['a key that is not live', {}, { keyIsLive: false }, true],
  ['issued in the second of the deactivation, before it', {}, { deactivatedAt: DEACTIVATED }, true],
  [
    'issued by a clock that is ahead, before the deactivation',
    { issuedAt: SECOND + 5 },
    { deactivatedAt: DEACTIVATED },
    true,
  ],
  ['issued in that second, after it', { deactivatedAt: DEACTIVATED }, { deactivatedAt: DEACTIVATED }, false],
  ['issued between two deactivations', { deactivatedAt: DEACTIVATED }, { deactivatedAt: DEACTIVATED + 1 }, true],
])('a token is revoked or not: %s (decisions 116, 117)', (_case, grant, state, revoked) => {
  expect(isRevoked({ ...GRANT, ...grant }, { ...STATE, ...state })).toBe(revoked);
});

test.each<[string, number, number | null, boolean]>([
  ['no deactivation', SECOND, null, false],
  ['the second of the deactivation', SECOND, DEACTIVATED, true],
  ['the very moment of the deactivation', SECOND, SECOND * 1000, true],
  ['the second after the deactivation', SECOND + 1, DEACTIVATED, false],
])('a token of the previous release is judged by its second: %s (decision 117)', (_case, issuedAt, at, revoked) => {
  const state = { keyIsLive: false, deactivatedAt: at };
  expect(isRevoked({ apiKeyId: undefined, deactivatedAt: null, issuedAt }, state)).toBe(revoked);
});
