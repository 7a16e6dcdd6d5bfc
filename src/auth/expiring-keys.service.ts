import { Injectable } from '@nestjs/common';
import { DatabaseService } from '../database/database.service.js';
import type { Row } from '../database/query.js';
import { timeOrNull, timestampText } from '../database/utc-time.js';
import { UNREVOKED } from './live-key.js';

const DAY_MS = 86_400_000;
/** A key that expired is still listed for this long, because its customer may only notice then. */
const EXPIRED_MS = 7 * DAY_MS;
/** How far {@link ExpiringKeysService.firstLoss} looks ahead. */
const AHEAD_MS = 90 * DAY_MS;

/** All unrevoked keys of each active customer with a key that expires in a period. */
const KEYS = `
  SELECT api_keys.ID, api_keys.CustomerCode, api_keys.Label, api_keys.CreatedAt, api_keys.ExpiresAt
  FROM api_keys JOIN customers ON customers.CustomerCode = api_keys.CustomerCode
  WHERE customers.Active = 1 AND ${UNREVOKED} AND api_keys.CustomerCode IN (
    SELECT CustomerCode FROM api_keys WHERE ${UNREVOKED} AND ExpiresAt > ? AND ExpiresAt <= ?)
  ORDER BY api_keys.ID`;

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

  /** Returns the keys that expire within a period, or expired within the last week, by their expiry. */
  async within(periodMs: number): Promise<ExpiringKey[]> {
    const now = Date.now();
    const [from, to] = [now - EXPIRED_MS, now + periodMs];
    const rows = await this.database.query(KEYS, [timestampText(new Date(from)), timestampText(new Date(to))]);
    const keys = rows.map((row): KeyRow => ({ ...row, end: endOf(row.ExpiresAt) }));
    const last = new Map<unknown, KeyRow>();
    for (const key of keys) {
      const other = last.get(key.CustomerCode);
      if (!other || key.end > other.end) last.set(key.CustomerCode, key);
    }
    return keys
      .filter(({ end }) => end > from && end <= to)
      .map((key) => expiringKey(key, last.get(key.CustomerCode)!))
      .toSorted((one, other) => one.expiresAt.getTime() - other.expiresAt.getTime());
  }

  /**
   * Returns when the first active customer loses its last key, within the next 90 days or the last 7. Undefined if no
   * customer does.
   */
  async firstLoss(): Promise<Date | undefined> {
    return (await this.within(AHEAD_MS)).find(({ laterKey }) => laterKey === undefined)?.expiresAt;
  }
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
