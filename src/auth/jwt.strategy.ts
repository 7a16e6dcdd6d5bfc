import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import type { Request } from 'express';
import { Strategy } from 'passport-jwt';
import { type AccessTokenClaims, CLOCK_TOLERANCE_SECONDS, customerOf } from './access-token-claims.js';
import type { CustomerIdentity } from './identity.js';
import { ALGORITHM, AUDIENCE, ISSUER, SigningKeys } from './signing-keys.js';

/** Verifies the bearer token of a request: signature first, by the key that its header names, then its claims. */
@Injectable()
export class JwtStrategy extends PassportStrategy(Strategy, 'jwt') {
  constructor(keys: SigningKeys) {
    super({
      jwtFromRequest: bearerToken,
      secretOrKeyProvider: (_request: Request, token: string, done: (error: unknown, secret?: string) => void) => {
        const key = keys.find(keyIdOf(token));
        // It goes on to jsonwebtoken as it is, which knows such keys; only the types in between do not.
        done(key ? null : new Error('signed with a key that is not in use'), key?.verifying as unknown as string);
      },
      algorithms: [ALGORITHM],
      issuer: ISSUER,
      audience: AUDIENCE,
      jsonWebTokenOptions: { clockTolerance: CLOCK_TOLERANCE_SECONDS },
    });
  }

  /** Refuses claims that this service never issues, although their signature is right. */
  validate(claims: Record<keyof AccessTokenClaims, unknown>): CustomerIdentity | null {
    return customerOf(claims, Date.now() / 1000);
  }
}

/** The token of an `Authorization: Bearer` header, whatever the case of the scheme; null where there is none. */
function bearerToken({ headers }: Pick<Request, 'headers'>): string | null {
  return /^bearer +([^\s,]+) *$/i.exec(headers.authorization ?? '')?.[1] ?? null;
}

/**
 * The `kid` in the token's header, to be compared and for nothing else. A header with `crit` has none: `crit` names
 * extensions that a verifier must know (RFC 7515 §4.1.11), and this service knows no extension.
 */
function keyIdOf(token: string): unknown {
  try {
    const { kid, crit } = JSON.parse(Buffer.from(token.split('.')[0]!, 'base64url').toString());
    return crit === undefined ? kid : undefined;
  } catch {
    return undefined;
  }
}
