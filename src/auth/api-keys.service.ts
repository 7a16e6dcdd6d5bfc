import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { createHash, randomInt, timingSafeEqual } from 'node:crypto';
import type { Repository } from 'typeorm';
import { TermsLog } from '../audit/terms-log.js';
import { DatabaseService } from '../database/database.service.js';
import type { Row } from '../database/query.js';
import type { WriteSession } from '../database/engine.js';
import { timeOrNull, timestampText } from '../database/utc-time.js';
import { isPositiveInteger } from './access-token-claims.js';
import { ApiKey } from './api-key.entity.js';
import { deactivationOf } from './grant.js';
import type { CustomerIdentity } from './identity.js';
import { hasExpired, UNREVOKED } from './live-key.js';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** 44 characters from an alphabet of 62 hold 262 random bits. */
const KEY_LENGTH = 44;
/** A digest that belongs to no key. */
const NO_DIGEST = '0'.repeat(64);

const UNREVOKED_KEYS = `
  SELECT api_keys.CustomerCode AS KeyCustomerCode, api_keys.ID, api_keys.Digest, api_keys.ExpiresAt,
    customers.DeactivatedAt, customers.RequestsPerMinute, customers.RequestsPerHour
  FROM api_keys JOIN customers ON customers.CustomerCode = api_keys.CustomerCode
  WHERE api_keys.CustomerCode = ? AND customers.Active = 1 AND ${UNREVOKED}`;

/** The stored terms of a new key. */
export type KeyTerms = Pick<ApiKey, 'CustomerCode' | 'Label' | 'ExpiresAt'>;

/** A new key. The key itself cannot be retrieved later. */
export interface IssuedKey {
  id: number;
  key: string;
}

/** Issues, rotates, lists, revokes and verifies API keys. The database stores only their digests. */
@Injectable()
export class ApiKeysService {
  constructor(
    private readonly database: DatabaseService,
    @InjectRepository(ApiKey) private readonly keys: Repository<ApiKey>,
  ) {}

  /** Stores the digest of a key. @param key default: a new random key */
  issue(terms: KeyTerms, key = newKey()): Promise<IssuedKey> {
    return this.database.change((session) => store(session, terms, key));
  }

  /**
   * Issues a key that replaces another one, and lets the old key expire.
   * @param old the key, as it was read before
   * @param oldExpiresAt when the old key expires
   * @returns undefined if the old key has been revoked, or has got another expiry, since it was read
   */
  rotate(old: ApiKey, oldExpiresAt: Date, terms: Omit<KeyTerms, 'CustomerCode'>): Promise<IssuedKey | undefined> {
    const { ID, CustomerCode } = old;
    return this.database.change(async (session) => {
      // Locks the row, so that no other transaction changes the key at the same time.
      await session.query('UPDATE api_keys SET ID = ID WHERE ID = ?', [ID]);
      const [row] = await session.query(`SELECT ExpiresAt FROM api_keys WHERE ID = ? AND ${UNREVOKED}`, [ID]);
      const [known, present] = [old.ExpiresAt, row?.ExpiresAt].map(isoOrNull);
      // Another rotation also changes the expiry. A second one would issue a second key.
      if (!row || present !== known) return undefined;
      await session.query('UPDATE api_keys SET ExpiresAt = ? WHERE ID = ?', [timestampText(oldExpiresAt), ID]);
      const before = { ID, ExpiresAt: present };
      const after = { ID, ExpiresAt: oldExpiresAt.toISOString() };
      await new TermsLog(session).record([{ subject: 'api_key', code: CustomerCode, before, after }]);
      return store(session, { ...terms, CustomerCode }, newKey());
    });
  }

  /** Returns all keys of a customer, including expired and revoked ones, oldest first. */
  list(CustomerCode: string): Promise<ApiKey[]> {
    return this.keys.find({ where: { CustomerCode }, order: { ID: 'ASC' } });
  }

  /**
   * Revokes a key at once. A key that is already revoked keeps its revocation time. @returns false if the key does not
   * exist
   */
  async revoke(ID: number): Promise<boolean> {
    return this.database.change(async (session) => {
      const now = new Date();
      // Locks the row, so that no other transaction revokes the key at the same time.
      await session.query('UPDATE api_keys SET ID = ID WHERE ID = ?', [ID]);
      const [row] = await session.query(`SELECT CustomerCode, ${UNREVOKED} AS live FROM api_keys WHERE ID = ?`, [ID]);
      // MySQL returns the condition as text, and the text "0" is truthy.
      if (Number(row?.live ?? 0) !== 1) return row !== undefined;
      await session.query('UPDATE api_keys SET RevokedAt = ? WHERE ID = ?', [timestampText(now), ID]);
      const [before, after] = [
        { ID, RevokedAt: null },
        { ID, RevokedAt: now.toISOString() },
      ];
      await new TermsLog(session).record([{ subject: 'api_key', code: String(row.CustomerCode), before, after }]);
      return true;
    });
  }

  /**
   * Returns the customer if it is active and `key` is one of its live keys. An unknown customer takes as long as a
   * wrong key, so that the time reveals no Customer Code.
   */
  async verify(customerCode: string, key: string): Promise<CustomerIdentity | undefined> {
    const presented = Buffer.from(digestOf(key), 'hex');
    const now = Date.now();
    const rows = await this.database.prepared(UNREVOKED_KEYS, [customerCode]);
    // A proxy that confuses prepared statements could return the keys of another customer, or the row of another statement.
    if (rows.some(({ KeyCustomerCode }) => KeyCustomerCode !== customerCode))
      throw new Error('The database returned the keys of another customer than requested');
    const live = rows.filter(({ ExpiresAt }) => !hasExpired(ExpiresAt));
    const digests = live.length ? live.map(({ Digest }) => String(Digest)) : [NO_DIGEST];
    const matches = digests.map((digest) => timingSafeEqual(Buffer.from(digest, 'hex'), presented));
    const row = live[matches.indexOf(true)];
    return row && customerOfKey(row, customerCode, now);
  }
}

const isoOrNull = (time: unknown) => timeOrNull(time)?.toISOString() ?? null;

const newKey = () => Array.from({ length: KEY_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');

/** Stores the digest of a key and records the change. */
async function store(
  session: WriteSession,
  { CustomerCode, Label, ExpiresAt }: KeyTerms,
  key: string,
): Promise<IssuedKey> {
  const digest = digestOf(key);
  const [created, expires] = [new Date(), ExpiresAt].map((time) => time && timestampText(time));
  await session.query(
    'INSERT INTO api_keys (CustomerCode, Label, Digest, CreatedAt, ExpiresAt) VALUES (?, ?, ?, ?, ?)',
    [CustomerCode, Label, digest, created, expires],
  );
  const [row] = await session.query('SELECT ID FROM api_keys WHERE CustomerCode = ? AND Digest = ?', [
    CustomerCode,
    digest,
  ]);
  const after = { ID: row?.ID, Label, ExpiresAt: ExpiresAt?.toISOString() ?? null };
  await new TermsLog(session).record([{ subject: 'api_key', code: CustomerCode, before: null, after }]);
  return { id: Number(row?.ID), key };
}

/** @param checkedAt the time just before the row was read, in milliseconds since 1970 */
function customerOfKey(row: Row, customerCode: string, checkedAt: number): CustomerIdentity {
  return {
    kind: 'customer',
    customerCode,
    requestsPerMinute: limitOf(row.RequestsPerMinute),
    requestsPerHour: limitOf(row.RequestsPerHour),
    grant: {
      apiKeyId: Number(row.ID),
      deactivatedAt: deactivationOf(row),
      issuedAt: Math.floor(checkedAt / 1000),
    },
  };
}

/** Returns null, the default limit, if another program stored a limit that is invalid in a token. */
function limitOf(value: unknown): number | null {
  return isPositiveInteger(value) ? Number(value) : null;
}

function digestOf(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}
