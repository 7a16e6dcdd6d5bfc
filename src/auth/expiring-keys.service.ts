import { Injectable } from '@nestjs/common';
import { DatabaseService } from '../database/database.service.js';
import type { Row } from '../database/query.js';
import { DAY_MS, timeOrNull, timestampText } from '../database/utc-time.js';
import { UNREVOKED } from './live-key.js';

/** A key that expired is still listed for this long, because its customer may only notice then. */
const EXPIRED_MS = 7 * DAY_MS;
/** How far {@link ExpiringKeysService.firstLoss} looks ahead. */
const AHEAD_MS = 90 * DAY_MS;

/** Selects all unrevoked keys of each active customer with a key that expires in a period. @param code only this customer */
const keysOf = (code: string | undefined) => `
  SELECT api_keys.ID, api_keys.CustomerCode, api_keys.Label, api_keys.CreatedAt, api_keys.ExpiresAt
  FROM api_keys JOIN customers ON customers.CustomerCode = api_keys.CustomerCode
  WHERE customers.Active = 1 AND ${UNREVOKED} ${code === undefined ? '' : 'AND api_keys.CustomerCode = ?'}
    AND api_keys.CustomerCode IN (
    SELECT CustomerCode FROM api_keys WHERE ${UNREVOKED} AND ExpiresAt > ? AND ExpiresAt <= ?)
  ORDER BY api_keys.ID`;

/**
 * When the first active customer loses its last key, in a period. The database compares the keys, because the metrics
 * need only this time, and the keys of all customers may expire in the period.
 */
const FIRST_LOSS = `
  SELECT ends.LastEnd FROM customers JOIN (
    SELECT CustomerCode, MAX(ExpiresAt) AS LastEnd FROM api_keys WHERE ${UNREVOKED}
    GROUP BY CustomerCode HAVING COUNT(ExpiresAt) = COUNT(*) AND MAX(ExpiresAt) > ? AND MAX(ExpiresAt) <= ?
  ) ends ON ends.CustomerCode = customers.CustomerCode
  WHERE customers.Active = 1 ORDER BY ends.LastEnd LIMIT 1`;

/** A key that expires soon, or expired within the last week. */
export interface ExpiringKey {
  id: number;
  customerCode: string;
  label: string | null;
  createdAt: Date | null;
  expiresAt: Date;
  /** The ID of the customer's key that lasts longest, if it lasts longer than this one. */
  laterKey: number | undefined;
}

/** A key with the end of its validity in milliseconds since 1970, `Infinity` if there is none. */
type KeyRow = Row & { end: number };

/** Finds the keys of active customers that expire soon. */
@Injectable()
export class ExpiringKeysService {
  constructor(private readonly database: DatabaseService) {}

  /**
   * Returns the keys that expire within a period, or expired within the last week, by their expiry.
   * @param code only keys of this customer
   */
  async within(periodMs: number, code?: string): Promise<ExpiringKey[]> {
    const [from, to] = periodUntil(periodMs);
    const customer = code === undefined ? [] : [code];
    const rows = await this.database.query(keysOf(code), [...customer, timestampText(from), timestampText(to)]);
    const keys = rows.map((row): KeyRow => ({ ...row, end: endOf(row.ExpiresAt) }));
    const last = new Map<unknown, KeyRow>();
    for (const key of keys) {
      const other = last.get(key.CustomerCode);
      if (!other || key.end > other.end) last.set(key.CustomerCode, key);
    }
    return keys
      .filter(({ end }) => end > from.getTime() && end <= to.getTime())
      .map((key) => expiringKey(key, last.get(key.CustomerCode)!))
      .toSorted((one, other) => one.expiresAt.getTime() - other.expiresAt.getTime());
  }

  /**
   * Returns when the first active customer loses its last key, within the next 90 days or the last 7. Undefined if no
   * customer does.
   */
  async firstLoss(): Promise<Date | undefined> {
    const [row] = await this.database.query(FIRST_LOSS, periodUntil(AHEAD_MS).map(timestampText));
    return row && (timeOrNull(row.LastEnd) ?? undefined);
  }
}

/** Returns the period that ends this long from now. It starts early enough to contain the keys that just expired. */
function periodUntil(ms: number): [from: Date, to: Date] {
  const now = Date.now();
  return [new Date(now - EXPIRED_MS), new Date(now + ms)];
}

/** An invalid time counts as expired (decision 124). */
function endOf(expiresAt: unknown): number {
  return expiresAt === null ? Infinity : (timeOrNull(expiresAt)?.getTime() ?? -Infinity);
}

function expiringKey({ ID, CustomerCode, Label, CreatedAt, end }: KeyRow, last: KeyRow): ExpiringKey {
  return {
    id: Number(ID),
    customerCode: String(CustomerCode),
    label: Label as string | null,
    createdAt: timeOrNull(CreatedAt),
    expiresAt: new Date(end),
    laterKey: last.end > end ? Number(last.ID) : undefined,
  };
}
