import type { SqlPart } from '../database/engine.js';
import type { Query, Row } from '../database/query.js';
import type { ContentPart } from './content-versions.js';

/** The part of a row of `content_versions` that concerns the change log. */
export interface LoggedState {
  readonly version: string;
  /** The version that the log leads to. If it is not `version`, a program that does not log has changed the part. */
  readonly loggedVersion: string | null;
  /** Counts the logged versions. */
  readonly counter: number;
  /** The log contains every change after this version, but not every earlier one. */
  readonly firstCounter: number;
}

/** Selects {@link LoggedState}. */
export const STATES = 'SELECT Part, Code, Version, LoggedVersion, Counter, FirstCounter FROM content_versions';

/** The key of a part in a map. No code contains a NUL. */
export const partKey = ({ part, code }: ContentPart) => `${part}\0${code}`;

/** The states in rows of {@link STATES}, by {@link partKey}. */
export function statesIn(rows: readonly Row[]): Map<string, LoggedState> {
  return new Map(
    rows.map((row) => [
      keyOf(row),
      {
        version: String(row.Version),
        loggedVersion: row.LoggedVersion as string | null,
        counter: Number(row.Counter),
        firstCounter: Number(row.FirstCounter),
      },
    ]),
  );
}

/** The states of some parts, by {@link partKey}. */
export async function statesOf(query: Query, parts: readonly ContentPart[]): Promise<Map<string, LoggedState>> {
  if (!parts.length) return new Map();
  const { sql, parameters } = oneOf(parts);
  return statesIn(await query(`${STATES} WHERE ${sql}`, parameters));
}

/** The counters of the versions that are in the log, by {@link partKey} and version. Other versions are absent. */
export async function countersOf(
  query: Query,
  parts: readonly ContentPart[],
  versions: readonly string[],
): Promise<Map<string, Map<string, number>>> {
  const counters = new Map<string, Map<string, number>>();
  if (!parts.length || !versions.length) return counters;
  const { sql, parameters } = oneOf(parts);
  const among = `Version IN (${versions.map(() => '?').join()})`;
  const select = `SELECT Part, Code, Version, Counter FROM version_history WHERE ${sql} AND ${among}`;
  for (const row of await query(select, [...parameters, ...versions])) {
    const ofPart = counters.get(keyOf(row)) ?? new Map<string, number>();
    counters.set(keyOf(row), ofPart.set(String(row.Version), Number(row.Counter)));
  }
  return counters;
}

/** A content part and the counter of an earlier version of it. */
export type PartBase = readonly [part: ContentPart, counter: number];

/**
 * A statement that selects the SKUs that changed in one of the parts after its version. @param after only SKUs that
 * sort after this one
 */
export function selectChanged(bases: readonly PartBase[], after = ''): SqlPart {
  const one = 'SELECT SKU FROM changed_skus WHERE Part = ? AND Code = ? AND Counter > ? AND SKU > ?';
  return {
    sql: bases.map(() => one).join(' UNION '),
    parameters: bases.flatMap(([{ part, code }, counter]) => [part, code, counter, after]),
  };
}

/** How many SKUs changed in a part after the version. */
export async function countChanged(query: Query, [{ part, code }, counter]: PartBase): Promise<number> {
  const count = 'SELECT COUNT(*) AS changed FROM changed_skus WHERE Part = ? AND Code = ? AND Counter > ?';
  const [row] = await query(count, [part, code, counter]);
  return Number(row!.changed);
}

/** The SKUs that left a part after the version. Some may have returned. */
export async function removedSince(query: Query, [{ part, code }, counter]: PartBase): Promise<Set<string>> {
  const select =
    'SELECT SKU FROM changed_skus WHERE Part = ? AND Code = ? AND Counter > ? AND RemovedCounter > ? ORDER BY SKU';
  const rows = await query(select, [part, code, counter, counter]);
  return new Set(rows.map(({ SKU }) => SKU as string));
}

const keyOf = ({ Part, Code }: Row) => partKey({ part: Part as ContentPart['part'], code: String(Code) });

function oneOf(parts: readonly ContentPart[]) {
  return {
    sql: `(${parts.map(() => '(Part = ? AND Code = ?)').join(' OR ')})`,
    parameters: parts.flatMap(({ part, code }) => [part, code]),
  };
}
