import { Inject, Injectable, Logger } from '@nestjs/common';
import { createHash, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { SETTINGS, type Settings } from '../config/settings.js';

export const ISSUER = 'customer-data-service';
export const AUDIENCE = 'customer-data-api';
export const ALGORITHM = 'HS256';

export interface SigningKey {
  /** The `kid` of tokens that this key signs. It does not reveal the secret. */
  readonly id: string;
  /** The secret as a KeyObject: for each token, jsonwebtoken would first try to parse a text as a private or public key. */
  readonly key: KeyObject;
}

/** The secrets of `JWT_SECRET`. The first one signs, all verify, so that a secret can be replaced without downtime. */
@Injectable()
export class SigningKeys {
  private readonly keys: readonly SigningKey[];

  constructor(@Inject(SETTINGS) { JWT_SECRET: secrets }: Settings) {
    if (!secrets.length)
      new Logger(SigningKeys.name).warn('JWT_SECRET is not set: access tokens are valid until this process stops');
    const used = secrets.length ? secrets : [randomBytes(32).toString('base64url')];
    this.keys = used.map((secret) => ({
      id: keyId(secret),
      key: createSecretKey(Buffer.from(secret)),
    }));
  }

  get current(): SigningKey {
    return this.keys[0]!;
  }

  find(id: unknown): SigningKey | undefined {
    return this.keys.find((key) => key.id === id);
  }
}

function keyId(secret: string): string {
  return createHash('sha256').update(`kid:${secret}`).digest('hex').slice(0, 16);
}
