import { Injectable } from '@nestjs/common';
import { deactivationOf, isRevoked } from '../auth/grant.js';
import type { CustomerIdentity } from '../auth/identity.js';
import { hasExpired, UNREVOKED } from '../auth/live-key.js';
import { TokenDenylist } from '../auth/token-denylist.js';
import { DatabaseService } from '../database/database.service.js';
import type { Query, Row } from '../database/query.js';
import { timeOrNull } from '../database/utc-time.js';
import { customerNotFound, REVOKED, tokenInvalid } from '../http/api-error.js';
import { JOIN_PARTS, partTimes, partVersions, SELECT_TIMES, SELECT_VERSIONS } from '../versions/content-versions.js';
import type { CustomerScope, CustomerTerms, SnapshotScope } from './customer-scope.js';

const SCOPE = `
  customers.CustomerCode, customers.WarehouseCode, customers.DiscountPercentage,
    price_lists.PriceListCode, price_lists.PriceListName, price_lists.CurrencyCode, ${SELECT_VERSIONS}`;
const CUSTOMER = `
  customers LEFT JOIN price_lists ON price_lists.PriceListCode = customers.PriceListCode ${JOIN_PARTS}`;
const WHERE_ACTIVE = 'WHERE customers.CustomerCode = ? AND customers.Active = 1';

/** Columns that show whether a token is revoked: the state of its key and of its customer. */
const GRANT = 'customers.DeactivatedAt, api_keys.ID AS KeyID, api_keys.ExpiresAt';
const UNREVOKED_KEY = `api_keys
  ON api_keys.ID = ? AND api_keys.CustomerCode = customers.CustomerCode AND ${UNREVOKED}`;

const CURRENT = `SELECT ${GRANT}, ${SCOPE} FROM ${CUSTOMER} LEFT JOIN ${UNREVOKED_KEY} ${WHERE_ACTIVE}`;

/** The customer of a token and the key that the token was issued for. */
export interface CurrentCustomer {
  readonly scope: CustomerScope;
  /** Null if the key never expires, or if the token is from the previous release and names no key. */
  readonly keyExpiresAt: Date | null;
}

/** Reads the scope of an active customer. */
@Injectable()
export class CustomerScopeService {
  constructor(
    private readonly database: DatabaseService,
    private readonly denylist: TokenDenylist,
  ) {}

  /** Returns the scope of the active customer with exactly this code. @param query queries the snapshot to read from */
  async find(customerCode: string, query: Query): Promise<SnapshotScope | undefined> {
    const [row] = await query(`SELECT ${SCOPE}, ${SELECT_TIMES} FROM ${CUSTOMER} ${WHERE_ACTIVE}`, [customerCode]);
    return row && Object.freeze({ ...scopeOf(row), changedAt: partTimes(row) });
  }

  /**
   * Returns the current state of a token's customer. The same statement reads whether the token is revoked. It never uses
   * a read replica, because a replica that lags may still have the revoked key.
   * @throws {ApiError} 404 if the customer is not active, otherwise 401 if the token is revoked
   */
  async current(identity: CustomerIdentity): Promise<CurrentCustomer> {
    const { customerCode, grant } = identity;
    const [row] = await this.database.prepared(CURRENT, [grant.apiKeyId ?? null, customerCode]);
    if (!row) throw customerNotFound();
    // A proxy that confuses prepared statements could return the row of another customer, or of another statement.
    if (row.CustomerCode !== customerCode) throw new Error('The database returned another customer than requested');
    const keyIsLive = row.KeyID !== null && !hasExpired(row.ExpiresAt);
    if (isRevoked(grant, { keyIsLive, deactivatedAt: deactivationOf(row) })) {
      this.denylist.add(identity);
      throw tokenInvalid(REVOKED);
    }
    return { scope: scopeOf(row), keyExpiresAt: timeOrNull(row.ExpiresAt) };
  }
}

function scopeOf(row: Row): CustomerScope {
  return Object.freeze({
    customerCode: row.CustomerCode as string,
    terms: termsOf(row),
    versions: partVersions(row),
  });
}

function termsOf(row: Row): CustomerTerms {
  const { PriceListCode: code } = row;
  const priceList = {
    code: code as string,
    name: row.PriceListName as string | null,
    currencyCode: row.CurrencyCode as string,
  };
  return Object.freeze({
    priceList: code === null ? null : priceList,
    warehouseCode: row.WarehouseCode as string | null,
    discountPercentage: String(row.DiscountPercentage),
  });
}
