import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import type { Request } from 'express';
import { Strategy } from 'passport-jwt';
import type { AccessTokenClaims } from './access-token.service.js';
import type { CustomerIdentity } from './identity.js';
import { ALGORITHM, AUDIENCE, ISSUER, SigningKeys } from './signing-keys.js';

const CLOCK_TOLERANCE_SECONDS = 5;

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

  /** A token that never ends, or that names nobody, is none of ours, whoever signed it. */
  validate({ sub, exp, rpm, rph }: Partial<AccessTokenClaims>): CustomerIdentity | null {
    if (typeof sub !== 'string' || !sub || typeof exp !== 'number') return null;
    return { kind: 'customer', customerCode: sub, requestsPerMinute: rpm ?? null, requestsPerHour: rph ?? null };
  }
}

/** The token of an `Authorization: Bearer` header, whatever the case of the scheme; null where there is none. */
function bearerToken({ headers }: Pick<Request, 'headers'>): string | null {
  return /^bearer +([^\s,]+) *$/i.exec(headers.authorization ?? '')?.[1] ?? null;
}

/** The `kid` that the token's own header claims; only ever compared, never used as a name of anything. */
function keyIdOf(token: string): unknown {
  try {
    return JSON.parse(Buffer.from(token.split('.')[0]!, 'base64url').toString()).kid;
  } catch {
    return undefined;
  }
}
