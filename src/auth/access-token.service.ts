import { Injectable } from '@nestjs/common';
import { JwtService } from '@nestjs/jwt';
import { randomUUID } from 'node:crypto';
import { ALGORITHM, AUDIENCE, ISSUER, SigningKeys } from './signing-keys.js';

/** Seconds that an access token is good for. */
export const LIFETIME_SECONDS = 3600;

/** Signs access tokens. */
@Injectable()
export class AccessTokenService {
  constructor(
    private readonly jwt: JwtService,
    private readonly keys: SigningKeys,
  ) {}

  /** A new access token of the customer. */
  issue(customerCode: string): string {
    const { id, secret } = this.keys.current;
    return this.jwt.sign(
      {},
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
