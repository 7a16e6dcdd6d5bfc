import { Injectable, type NestMiddleware } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import { Passport } from 'passport';
import { REVOKED } from '../http/api-error.js';
import { type CustomerIdentity, type Identity, setIdentity } from './identity.js';
import { JwtStrategy } from './jwt.strategy.js';
import { TokenDenylist } from './token-denylist.js';

const STRATEGY = 'jwt';
const BEARER = /^bearer\b/i;

/** Identifies the customer of each request once, before any other code needs the identity. */
@Injectable()
export class IdentityMiddleware implements NestMiddleware {
  /**
   * A separate instance, because `PassportStrategy` registers each strategy by its name in the global `passport`. In
   * the global instance, another application in this process would replace this strategy and its signing keys.
   */
  private readonly passport = new Passport();

  constructor(
    private readonly strategy: JwtStrategy,
    private readonly denylist: TokenDenylist,
  ) {
    this.passport.use(STRATEGY, strategy);
  }

  use(request: Request, response: Response, next: NextFunction): void {
    if (!BEARER.test(request.headers.authorization ?? '')) {
      setIdentity(request, { kind: 'none' });
      return next();
    }
    const settle = (error: Error | null, user?: CustomerIdentity | false, info?: Error) => {
      setIdentity(request, this.identity(user || undefined, error ?? info));
      next();
    };
    const known = this.strategy.recall(request);
    if (known) return settle(null, known);
    try {
      // If Passport gets the name, it derives a strategy for each request. This strategy holds the outcome.
      this.passport.authenticate(STRATEGY, { session: false }, settle)(request, response, next);
    } catch (error) {
      // The verifier throws if the payload is not an object.
      settle(error as Error);
    }
  }

  private identity(user: CustomerIdentity | undefined, problem?: Error): Identity {
    if (user) return this.denylist.has(user) ? { kind: 'invalid', reason: REVOKED, wasValid: true } : user;
    // The verifier checks the signature before the expiry, so an expired token was issued by this service.
    const expired = problem?.name === 'TokenExpiredError';
    return { kind: 'invalid', reason: expired ? 'it has expired' : 'it is malformed or not ours', wasValid: expired };
  }
}
