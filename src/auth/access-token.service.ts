import { Injectable } from '@nestjs/common';
import { JwtService } from '@nestjs/jwt';
import { randomUUID } from 'node:crypto';
import type { CustomerIdentity } from './identity.js';
import { ALGORITHM, AUDIENCE, ISSUER, SigningKeys } from './signing-keys.js';

/** Seconds that an access token is good for. */
export const LIFETIME_SECONDS = 3600;

/** What an access token says, beside who issued it, for whom, and when. */
export interface AccessTokenClaims {
  /** Customer Code. */
  sub: string;
  /** Seconds since 1970. */
  exp: number;
  /** The customer's own limits per minute and hour; absent: the default ones. */
  rpm: number;
  rph: number;
}

/** Signs access tokens. */
@Injectable()
export class AccessTokenService {
  constructor(
    private readonly jwt: JwtService,
    private readonly keys: SigningKeys,
  ) {}

  /** A new access token of the customer, which carries its limits so that metering needs no look-up. */
  issue({ customerCode, requestsPerMinute, requestsPerHour }: CustomerIdentity): string {
    const { id, secret } = this.keys.current;
    return this.jwt.sign(
      { rpm: requestsPerMinute ?? undefined, rph: requestsPerHour ?? undefined },
      {
        secret,
        algorithm: ALGORITHM,
        keyid: id,
        issuer: ISSUER,
        audience: AUDIENCE,
        subject: customerCode,
        jwtid: randomUUID(),
        expiresIn: LIFETIME_SECONDS,
      },
    );
  }
}
