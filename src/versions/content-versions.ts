import { randomUUID } from 'node:crypto';
import type { WriteSession } from '../database/engine.js';
import type { Row } from '../database/query.js';
import { timeOrNull } from '../resource/utc-time.js';

/** So many are renewed by one statement. */
const AT_ONCE = 1000;

/** A part of the content that has a version of its own: all products, the prices of a list, the stock of a warehouse. */
export interface ContentPart {
  part: 'products' | 'prices' | 'stock';
  /** Of the price list or the warehouse; '' for products. */
  code: string;
}

/**
 * Gives the parts new versions, in the transaction that changes them. A version names one state of its part, wherever
 * the database is restored or copied to: it is random, not counted. Until the transaction ends, others that change the
 * same part wait, so that a state with a later version holds all that came before.
 */
export async function renewVersions(session: WriteSession, parts: readonly ContentPart[]): Promise<void> {
  const version = randomUUID();
  const clause = session.upsertClause(['Part', 'Code'], ['Version']);
  for (let start = 0; start < parts.length; start += AT_ONCE) {
    const rows = parts.slice(start, start + AT_ONCE).map(({ part, code }) => [part, code, version]);
    const { sql, parameters } = session.values(rows);
    await session.query(`INSERT INTO content_versions (Part, Code, Version) VALUES ${sql}${clause}`, parameters);
  }
}

/** Those that have one, and those that lack it since somebody emptied or replaced the table of the versions. */
const ALL = `SELECT Part AS part, Code AS code FROM content_versions UNION SELECT 'products', ''
  UNION SELECT 'prices', PriceListCode FROM price_lists UNION SELECT 'stock', WarehouseCode FROM warehouses`;

/** The same for all parts that there are. */
export async function renewAllVersions(session: WriteSession): Promise<void> {
  const parts = await session.query(ALL);
  await renewVersions(session, parts as unknown as ContentPart[]);
}

/** A part as its last committed change left it. */
export interface PartState {
  readonly version: string;
  /** When that change was made; null: unknown. */
  readonly changedAt: Date | null;
}

/** Joins the state of a part under the name `<part>Part`; it is null if nothing ever was in it. @param code SQL of its code */
export function joinPart(part: ContentPart['part'], code: string): string {
  const alias = `${part}Part`;
  return `LEFT JOIN content_versions ${alias} ON ${alias}.Part = '${part}' AND ${alias}.Code = ${code}`;
}

/** The state of a part from a row that selects its columns as `<part>Version` and `<part>ChangedAt`. */
export function partState(row: Row, part: ContentPart['part']): PartState | null {
  const [version, changedAt] = [row[`${part}Version`], row[`${part}ChangedAt`]];
  if (version === null) return null;
  return { version: version as string, changedAt: timeOrNull(changedAt) };
}
