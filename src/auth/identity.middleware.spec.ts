import type { Request, Response } from 'express';
import type { Settings } from '../config/settings.js';
import { AccessTokenService } from './access-token.service.js';
import { type CustomerIdentity, type Identity, identityOf } from './identity.js';
import { IdentityMiddleware } from './identity.middleware.js';
import { JwtStrategy } from './jwt.strategy.js';
import { SigningKeys } from './signing-keys.js';
import { TokenDenylist } from './token-denylist.js';

/** A separate application in this process, which issues tokens with its first secret and verifies them with all. */
function application(...secrets: string[]) {
  const keys = new SigningKeys({ JWT_SECRET: secrets } as unknown as Settings);
  const denylist = new TokenDenylist();
  const middleware = new IdentityMiddleware(new JwtStrategy(keys), denylist);
  const tokens = new AccessTokenService(keys);
  const identityIn = (token: string) =>
    new Promise<Identity>((resolve) => {
      const request = requestWith(token);
      middleware.use(request, {} as Response, () => resolve(identityOf(request)));
    });
  return {
    denylist,
    /** Counts the verifications of signatures: each looks up its key once. */
    verifications: jest.spyOn(keys, 'find'),
    identityIn,
    issue: (customerCode: string) =>
      tokens.issue({
        kind: 'customer',
        customerCode,
        requestsPerMinute: null,
        requestsPerHour: null,
        grant: { apiKeyId: 1, deactivatedAt: null, issuedAt: Math.floor(Date.now() / 1000) },
      }),
    identify: async (token: string) => {
      const identity = await identityIn(token);
      return (identity as CustomerIdentity).customerCode ?? identity.kind;
    },
  };
}

function requestWith(token: string): Request {
  return { headers: { authorization: `Bearer ${token}` } } as Request;
}

const [OLD, NEW] = ['a'.repeat(40), 'b'.repeat(40)] as const;
const EXPIRED = { kind: 'invalid', reason: 'it has expired', wasValid: true };

afterEach(() => void jest.useRealTimers());

test('two applications in one process accept only their own tokens', async () => {
  const [one, other] = ['a', 'b'].map((letter) => application(letter.repeat(40)));
  const [first, second] = [one!.issue('ONE'), other!.issue('OTHER')];
  expect(await Promise.all([one!.identify(first), one!.identify(second)])).toEqual(['ONE', 'invalid']);
  expect(await Promise.all([other!.identify(first), other!.identify(second)])).toEqual(['invalid', 'OTHER']);
});

test('concurrent requests do not mix up their identities', async () => {
  const { issue, identify } = application('c'.repeat(40));
  const codes = Array.from({ length: 200 }, (_, index) => (index % 3 ? `C-${index}` : 'invalid'));
  const found = await Promise.all(codes.map((code) => identify(code === 'invalid' ? 'x.y.z' : issue(code))));
  expect(found).toEqual(codes);
});

test('the signature of a token is verified once (decision 203)', async () => {
  const { issue, identify, verifications } = application(OLD);
  const token = issue('ONE');
  for (let count = 0; count < 3; count++) expect(await identify(token)).toBe('ONE');
  expect(verifications).toHaveBeenCalledTimes(1);
});

test('a token with another signature is refused each time, although the token itself is known (decision 203)', async () => {
  const { issue, identify, verifications } = application(OLD);
  const [token, foreign] = [issue('ONE'), application(NEW).issue('ONE')];
  expect(await identify(token)).toBe('ONE');
  const forged = `${token.slice(0, token.lastIndexOf('.'))}${foreign.slice(foreign.lastIndexOf('.'))}`;
  for (const other of [forged, foreign, token.slice(0, -1), `${token}A`])
    for (let count = 0; count < 2; count++) expect(await identify(other)).toBe('invalid');
  expect(verifications).toHaveBeenCalledTimes(9);
});

test('a known token expires 5 s after its exp, to the second (decisions 20 and 203)', async () => {
  jest.useFakeTimers();
  const { issue, identify, identityIn } = application(OLD);
  const token = issue('ONE');
  expect(await identify(token)).toBe('ONE');
  jest.setSystemTime(Math.floor(Date.now() / 1000 + 3600 + 5) * 1000 - 1);
  expect(await identify(token)).toBe('ONE');
  jest.setSystemTime(Date.now() + 1);
  expect(await identityIn(token)).toEqual(EXPIRED);
  expect(await identityIn(token)).toEqual(EXPIRED);
});

test('a known token is refused if the clock steps back to more than 5 s before its iat (decisions 119 and 203)', async () => {
  jest.useFakeTimers();
  const { issue, identify } = application(OLD);
  const token = issue('ONE');
  expect(await identify(token)).toBe('ONE');
  jest.setSystemTime(Date.now() - 7000);
  expect(await identify(token)).toBe('invalid');
});

test('a known token is refused as soon as its grant is denied (decisions 118 and 203)', async () => {
  const { issue, identityIn, denylist } = application(OLD);
  const token = issue('ONE');
  denylist.add((await identityIn(token)) as CustomerIdentity);
  expect(await identityIn(token)).toMatchObject({ kind: 'invalid', wasValid: true });
});

test('a process without the secret of a token refuses it, whatever an earlier process knew (decision 203)', async () => {
  const token = application(OLD).issue('ONE');
  const [both, rotated] = [application(NEW, OLD), application(NEW)];
  expect([await both.identify(token), await both.identify(token)]).toEqual(['ONE', 'ONE']);
  expect(await rotated.identify(token)).toBe('invalid');
});

test('at most 10,000 tokens are known, and the least recently used one is forgotten first (decision 203)', () => {
  const strategy = new JwtStrategy(new SigningKeys({ JWT_SECRET: [OLD] } as unknown as Settings));
  const iat = Math.floor(Date.now() / 1000);
  const claims = { sub: 'ONE', iat, exp: iat + 3600 } as Parameters<JwtStrategy['validate']>[1];
  const known = () => [0, 1, 10_000].map((number) => strategy.recall(requestWith(`${number}`)) !== undefined);
  for (let number = 0; number < 10_000; number++) strategy.validate(requestWith(`${number}`), claims);
  expect(known()).toEqual([true, true, false]);
  strategy.recall(requestWith('0'));
  for (let number = 2; number <= 10_000; number++) strategy.recall(requestWith(`${number}`));
  strategy.recall(requestWith('0'));
  strategy.validate(requestWith('10000'), claims);
  expect(known()).toEqual([true, false, true]);
});
