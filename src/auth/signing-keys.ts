import { Inject, Injectable, Logger } from '@nestjs/common';
import { createHash, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { SETTINGS, type Settings } from '../config/settings.js';

export const ISSUER = 'customer-data-service';
export const AUDIENCE = 'customer-data-api';
export const ALGORITHM = 'HS256';

export interface SigningKey {
  /** The `kid` of tokens signed with this key; tells nothing about the secret. */
  readonly id: string;
  readonly secret: string;
  /** The secret as verification wants it: of a text it would find out each time that it is no public key. */
  readonly verifying: KeyObject;
}

/** The secrets of `JWT_SECRET`: the first signs, all verify, so that one can be replaced without downtime. */
@Injectable()
export class SigningKeys {
  private readonly keys: readonly SigningKey[];

  constructor(@Inject(SETTINGS) { JWT_SECRET: secrets }: Settings) {
    if (!secrets.length)
      new Logger(SigningKeys.name).warn('JWT_SECRET is not set: tokens are good until this process stops');
    const used = secrets.length ? secrets : [randomBytes(32).toString('base64url')];
    this.keys = used.map((secret) => ({
      id: keyId(secret),
      secret,
      verifying: createSecretKey(Buffer.from(secret)),
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
