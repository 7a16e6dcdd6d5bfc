import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import type { Request } from 'express';
import { LRUCache } from 'lru-cache';
import { Strategy } from 'passport-jwt';
import { type AccessTokenClaims, CLOCK_TOLERANCE_SECONDS, customerOf } from './access-token-claims.js';
import type { CustomerIdentity } from './identity.js';
import { ALGORITHM, AUDIENCE, ISSUER, SigningKeys } from './signing-keys.js';

/** About 10 MB. A further token replaces the one that was not used for the longest time. */
const MAX_TOKENS = 10_000;

type SignedClaims = Record<keyof AccessTokenClaims, unknown>;

/** Verifies the bearer token of a request: first the signature, with the key that its header names, then the claims. */
@Injectable()
export class JwtStrategy extends PassportStrategy(Strategy, 'jwt') {
  /** The claims of tokens whose signature was verified, by the whole token. */
  private readonly verified = new LRUCache<string, SignedClaims>({ max: MAX_TOKENS });

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
      passReqToCallback: true,
    });
  }

  /** Returns null for claims that this service never issues, although the signature is valid. */
  validate(request: Request, claims: SignedClaims): CustomerIdentity | null {
    const customer = customerOf(claims, Date.now() / 1000);
    if (customer) this.verified.set(copyOf(bearerToken(request)!), claims);
    return customer;
  }

  /**
   * Returns the customer of a token that {@link validate} has accepted before. It checks the claims again, but not the
   * signature (decision 203). Returns undefined for all other tokens, and for this one once it has expired.
   */
  recall(request: Request): CustomerIdentity | undefined {
    const claims = this.verified.get(bearerToken(request) ?? '');
    const now = Date.now() / 1000;
    if (!claims || now >= Number(claims.exp) + CLOCK_TOLERANCE_SECONDS) return undefined;
    return customerOf(claims, now) ?? undefined;
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

/** Copies a text. A part of a header would keep the whole header in memory. */
function copyOf(text: string): string {
  return Buffer.from(text).toString();
}
