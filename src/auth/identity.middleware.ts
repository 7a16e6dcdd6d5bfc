import { Injectable, type NestMiddleware } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import { Passport } from 'passport';
import { REVOKED } from '../http/api-error.js';
import { type CustomerIdentity, type Identity, setIdentity } from './identity.js';
import { JwtStrategy } from './jwt.strategy.js';
import { TokenDenylist } from './token-denylist.js';

/** The name of the strategy. */
const JWT = 'jwt';
const BEARER = /^bearer\b/i;

/** Verifies the token of every request, once, before anything else asks who it is from. */
@Injectable()
export class IdentityMiddleware implements NestMiddleware {
  /**
   * Not the `passport` of the process: `PassportStrategy` registers each strategy there by its name, and the strategy of
   * another application in this process would replace this one and its signing keys.
   */
  private readonly passport = new Passport();

  constructor(
    strategy: JwtStrategy,
    private readonly denylist: TokenDenylist,
  ) {
    this.passport.use(JWT, strategy);
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
    try {
      // By its name: Passport then derives a strategy for each request, on which it sets the outcome of that request.
      this.passport.authenticate(JWT, { session: false }, settle)(request, response, next);
    } catch (error) {
      // The verifier stumbles over a payload that is no object.
      settle(error as Error);
    }
  }

  private identity(user: CustomerIdentity | undefined, problem?: Error): Identity {
    if (user) return this.denylist.has(user) ? { kind: 'invalid', reason: REVOKED, wasValid: true } : user;
    // The verifier checks the signature before the expiry.
    const expired = problem?.name === 'TokenExpiredError';
    return { kind: 'invalid', reason: expired ? 'it has expired' : 'it is malformed or not ours', wasValid: expired };
  }
}
