import { Injectable } from '@nestjs/common';
import jwt from 'jsonwebtoken';
import { randomUUID } from 'node:crypto';
import { claimsOf } from './access-token-claims.js';
import type { CustomerIdentity } from './identity.js';
import { ALGORITHM, AUDIENCE, ISSUER, SigningKeys } from './signing-keys.js';

/** Signs access tokens. */
@Injectable()
export class AccessTokenService {
  constructor(private readonly keys: SigningKeys) {}

  /** Returns a new access token for the customer. It contains the customer's limits, so metering needs no lookup. */
  issue(customer: CustomerIdentity): string {
    const { id, key } = this.keys.current;
    return jwt.sign(claimsOf(customer), key, {
      algorithm: ALGORITHM,
      keyid: id,
      issuer: ISSUER,
      audience: AUDIENCE,
      jwtid: randomUUID(),
    });
  }
}
