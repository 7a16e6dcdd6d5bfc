import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import type { Request } from 'express';
import { Strategy } from 'passport-jwt';
import { type AccessTokenClaims, CLOCK_TOLERANCE_SECONDS, customerOf } from './access-token-claims.js';
import type { CustomerIdentity } from './identity.js';
import { ALGORITHM, AUDIENCE, ISSUER, SigningKeys } from './signing-keys.js';

/** Verifies the bearer token of a request: first the signature, with the key that its header names, then the claims. */
@Injectable()
export class JwtStrategy extends PassportStrategy(Strategy, 'jwt') {
  constructor(keys: SigningKeys) {
    super({
      jwtFromRequest: bearerToken,
      secretOrKeyProvider: (_request: Request, token: string, done: (error: unknown, secret?: string) => void) => {
        const key = keys.find(keyIdOf(token));
        // passport-jwt passes the key to jsonwebtoken, which accepts a KeyObject, although the types of passport-jwt do
        // not.
        done(key ? null : new Error('signed with an unknown key'), key?.key as unknown as string);
      },
      algorithms: [ALGORITHM],
      issuer: ISSUER,
      audience: AUDIENCE,
      jsonWebTokenOptions: { clockTolerance: CLOCK_TOLERANCE_SECONDS },
    });
  }

  /** Returns null for claims that this service never issues, although the signature is valid. */
  validate(claims: Record<keyof AccessTokenClaims, unknown>): CustomerIdentity | null {
    return customerOf(claims, Date.now() / 1000);
  }
}

/**
 * Returns the token of an `Authorization: Bearer` header, in which the scheme may have any case; null if there is none.
 */
function bearerToken({ headers }: Pick<Request, 'headers'>): string | null {
  return /^bearer +([^\s,]+) *$/i.exec(headers.authorization ?? '')?.[1] ?? null;
}

/**
 * Returns the unverified `kid` of the token's header; use it only for comparisons. Returns undefined if the header has
 * `crit`: it names extensions that a verifier must support (RFC 7515 §4.1.11), and this service supports none.
 */
function keyIdOf(token: string): unknown {
  try {
    const { kid, crit } = JSON.parse(Buffer.from(token.split('.')[0]!, 'base64url').toString());
    return crit === undefined ? kid : undefined;
  } catch {
    return undefined;
  }
}
