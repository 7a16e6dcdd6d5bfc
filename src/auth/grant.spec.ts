import { type Grant, type GrantState, isRevoked } from './grant.js';

const [SECOND, DEACTIVATED] = [1_796_000_000, 1_796_000_000_500];
const GRANT: Grant = { apiKeyId: 7, deactivatedAt: null, issuedAt: SECOND };
const STATE: GrantState = { keyIsLive: true, deactivatedAt: null };

test.each<[string, Partial<Grant>, Partial<GrantState>, boolean]>([
  ['is valid while its key is live', {}, {}, false],
  ['is revoked if its key is not live', {}, { keyIsLive: false }, true],
  ['is revoked if issued in the second of the deactivation, but before it', {}, { deactivatedAt: DEACTIVATED }, true],
  [
    'is revoked if issued before the deactivation by a clock that is ahead',
    { issuedAt: SECOND + 5 },
    { deactivatedAt: DEACTIVATED },
    true,
  ],
  [
    'is valid if issued in the second of the deactivation, but after it',
    { deactivatedAt: DEACTIVATED },
    { deactivatedAt: DEACTIVATED },
    false,
  ],
  [
    'is revoked if issued between two deactivations',
    { deactivatedAt: DEACTIVATED },
    { deactivatedAt: DEACTIVATED + 1 },
    true,
  ],
])('a token %s (decisions 116, 117)', (_case, grant, state, revoked) => {
  expect(isRevoked({ ...GRANT, ...grant }, { ...STATE, ...state })).toBe(revoked);
});

test.each<[string, number, number | null, boolean]>([
  ['is valid without a deactivation', SECOND, null, false],
  ['is revoked if issued in the second of the deactivation', SECOND, DEACTIVATED, true],
  ['is revoked if issued at the moment of the deactivation', SECOND, SECOND * 1000, true],
  ['is valid if issued in the second after the deactivation', SECOND + 1, DEACTIVATED, false],
])('a token of the previous release %s (decision 117)', (_case, issuedAt, at, revoked) => {
  const state = { keyIsLive: false, deactivatedAt: at };
  expect(isRevoked({ apiKeyId: undefined, deactivatedAt: null, issuedAt }, state)).toBe(revoked);
});
