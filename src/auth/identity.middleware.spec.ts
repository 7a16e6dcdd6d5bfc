import { JwtService } from '@nestjs/jwt';
import type { Request, Response } from 'express';
import type { Settings } from '../config/settings.js';
import { AccessTokenService } from './access-token.service.js';
import { type CustomerIdentity, identityOf } from './identity.js';
import { IdentityMiddleware } from './identity.middleware.js';
import { JwtStrategy } from './jwt.strategy.js';
import { SigningKeys } from './signing-keys.js';
import { TokenDenylist } from './token-denylist.js';

/** A separate application in this process, which issues and verifies tokens with its own secret. */
function application(secret: string) {
  const keys = new SigningKeys({ JWT_SECRET: [secret] } as unknown as Settings);
  const middleware = new IdentityMiddleware(new JwtStrategy(keys), new TokenDenylist());
  const tokens = new AccessTokenService(new JwtService({}), keys);
  return {
    issue: (customerCode: string) =>
      tokens.issue({
        kind: 'customer',
        customerCode,
        requestsPerMinute: null,
        requestsPerHour: null,
        grant: { apiKeyId: 1, deactivatedAt: null, issuedAt: Math.floor(Date.now() / 1000) },
      }),
    identify: (token: string) =>
      new Promise<string>((resolve) => {
        const request = { headers: { authorization: `Bearer ${token}` } } as Request;
        middleware.use(request, {} as Response, () => {
          const identity = identityOf(request);
          resolve((identity as CustomerIdentity).customerCode ?? identity.kind);
        });
      }),
  };
}

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
