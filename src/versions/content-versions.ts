import { randomUUID } from 'node:crypto';
import type { WriteSession } from '../database/engine.js';
import type { Row } from '../database/query.js';
import { timeOrNull } from '../database/utc-time.js';
import { CONTENT_PARTS, divisionOf, PART_NAMES, type PartName } from './content-parts.js';

/** So many are renewed by one statement. */
const AT_ONCE = 1000;

/** What has a version of its own: all products, the prices of a list, the stock of a warehouse. */
export interface ContentPart {
  part: PartName;
  /** The value that divides the part, such as the code of a price list; '' for a part that is not divided. */
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

/** All that have a version, and all that lack one because another program emptied or replaced the table of versions. */
const ALL = `SELECT Part AS part, Code AS code FROM content_versions ${PART_NAMES.map((part) => {
  const division = CONTENT_PARTS[part];
  return `UNION SELECT '${part}', ${division ? `${division.column} FROM ${division.table}` : "''"}`;
}).join(' ')}`;

/** The same for all parts that there are. */
export async function renewAllVersions(session: WriteSession): Promise<void> {
  const parts = await session.query(ALL);
  await renewVersions(session, parts as unknown as ContentPart[]);
}

/** A part as its last committed change left it. */
interface PartState {
  readonly version: string;
  /** When that change was made; null: unknown. */
  readonly changedAt: Date | null;
}

/** The states of all parts that a customer sees; null: nothing was ever in the part. */
export type PartStates = Readonly<Record<PartName, PartState | null>>;

/** What a SELECT lists for {@link partStates}. */
export const SELECT_PARTS = PART_NAMES.map(
  (part) => `${part}Part.Version AS ${part}Version, ${part}Part.ChangedAt AS ${part}ChangedAt`,
).join(', ');

/** Joins the states of all parts to a row of `customers`. */
export const JOIN_PARTS = PART_NAMES.map((part) => {
  const column = divisionOf(part);
  return `LEFT JOIN content_versions ${part}Part
    ON ${part}Part.Part = '${part}' AND ${part}Part.Code = ${column ? `customers.${column}` : "''"}`;
}).join(' ');

/** The states from a row that selects {@link SELECT_PARTS}. */
export function partStates(row: Row): PartStates {
  const states = PART_NAMES.map((part) => {
    const [version, changedAt] = [row[`${part}Version`], row[`${part}ChangedAt`]];
    return [part, version === null ? null : { version: version as string, changedAt: timeOrNull(changedAt) }];
  });
  return Object.fromEntries(states) as PartStates;
}
