import type { SqlPart, WriteSession } from '../database/engine.js';
import type { Query, Row } from '../database/query.js';
import type { ContentPart } from './content-versions.js';

/** The part of a row of `content_versions` that concerns the change log. */
export interface LoggedState {
  readonly version: string;
  /** Whether the log leads to the version. If not, a program that does not log has changed the part or the log. */
  readonly isLogged: boolean;
  /** Counts the logged versions. */
  readonly counter: number;
  /** The log contains every change after this version, but not every earlier one. */
  readonly firstCounter: number;
}

/**
 * No product has this SKU. Its row in `changed_skus` has the counter of the latest version, so that a table that was
 * emptied, or restored without the others, is recognized.
 */
export const LATEST = '';

/** The columns that name a part, in a statement with {@link STATES}. */
export const PART_COLUMNS = ['content_versions.Part', 'content_versions.Code'] as const;

/** Selects {@link LoggedState}. The three tables of the log have to agree on the version and on its counter. */
export const STATES = `SELECT ${PART_COLUMNS.join()}, content_versions.Version, content_versions.Counter, FirstCounter,
    content_versions.Version = LoggedVersion AND history.Counter = content_versions.Counter
      AND history.SupersededAt IS NULL AND latest.Counter = content_versions.Counter AS IsLogged
  FROM content_versions
  LEFT JOIN version_history history ON history.Part = content_versions.Part AND history.Code = content_versions.Code
    AND history.Version = content_versions.Version
  LEFT JOIN changed_skus latest ON latest.Part = content_versions.Part AND latest.Code = content_versions.Code
    AND latest.SKU = '${LATEST}'`;

/** The key of a part in a map. No code contains a NUL. */
export const partKey = ({ part, code }: ContentPart) => `${part}\0${code}`;

/** The states in rows of {@link STATES}, by {@link partKey}. */
export function statesIn(rows: readonly Row[]): Map<string, LoggedState> {
  return new Map(
    rows.map((row) => [
      keyOf(row),
      {
        version: String(row.Version),
        isLogged: Number(row.IsLogged) === 1,
        counter: Number(row.Counter),
        firstCounter: Number(row.FirstCounter),
      },
    ]),
  );
}

/** The state of a part, and the counters of the known versions that are in the log. */
export interface KnownState {
  readonly state: LoggedState;
  readonly counters: ReadonlyMap<string, number>;
}

/** Reads the states of some parts and the counters of known versions of them. @returns them by {@link partKey} */
export async function knownStates(
  query: Query,
  parts: readonly ContentPart[],
  versions: readonly string[],
): Promise<Map<string, KnownState>> {
  if (!parts.length || !versions.length) return new Map();
  const select = `SELECT states.*, known.Version AS KnownVersion, known.Counter AS KnownCounter
    FROM (${STATES} WHERE ${parts.map(() => `(${PART_COLUMNS[0]} = ? AND ${PART_COLUMNS[1]} = ?)`).join(' OR ')}) states
    LEFT JOIN version_history known ON known.Part = states.Part AND known.Code = states.Code
      AND known.Version IN (${versions.map(() => '?').join()})`;
  const rows = await query(select, [...parts.flatMap(({ part, code }) => [part, code]), ...versions]);
  const known = new Map(
    [...statesIn(rows)].map(([key, state]) => [key, { state, counters: new Map<string, number>() }]),
  );
  for (const row of rows)
    if (row.KnownVersion !== null)
      known.get(keyOf(row))!.counters.set(String(row.KnownVersion), Number(row.KnownCounter));
  return known;
}

/** A content part and the counter of an earlier version of it. */
export type PartBase = readonly [part: ContentPart, counter: number];

/** The rows of the SKUs that changed in a part after a version. */
const CHANGED = 'FROM changed_skus WHERE Part = ? AND Code = ? AND Counter > ? AND SKU > ?';

/** Some SKUs in order: all that sort after the first SKU, and up to the last one if there is one. */
export type SkuRange = readonly [after: string, last?: string];

/** A statement that selects the SKUs of a range that changed in one of the parts after its version. */
export function selectChanged(bases: readonly PartBase[], [after, last]: SkuRange): SqlPart {
  const upToLast = last === undefined ? [] : [last];
  const select = `SELECT SKU ${CHANGED}${upToLast.map(() => ' AND SKU <= ?').join()}`;
  return {
    sql: bases.map(() => select).join(' UNION '),
    parameters: bases.flatMap(([{ part, code }, counter]) => [part, code, counter, after, ...upToLast]),
  };
}

/** Divides the SKUs that changed in one of the parts after its version into ranges of this size. */
export async function changedRanges(query: Query, bases: readonly PartBase[], size: number): Promise<SkuRange[]> {
  const { sql, parameters } = selectChanged(bases, [LATEST]);
  const numbered = `SELECT SKU, ROW_NUMBER() OVER (ORDER BY SKU) AS Position FROM (${sql}) changed`;
  const select = `SELECT SKU FROM (${numbered}) numbered WHERE Position % ? = 0 ORDER BY SKU`;
  const lasts = (await query(select, [...parameters, size])).map(({ SKU }) => SKU as string);
  return [...lasts, undefined].map((last, index) => [lasts[index - 1] ?? LATEST, last]);
}

/** How many SKUs changed in a part after the version, and how many of them left it. */
export async function countChanged(
  query: Query,
  [{ part, code }, counter]: PartBase,
): Promise<{ changed: number; removed: number }> {
  const select = `SELECT COUNT(*) AS changed, COUNT(CASE WHEN RemovedCounter > ? THEN 1 END) AS removed ${CHANGED}`;
  const [row] = await query(select, [counter, part, code, counter, LATEST]);
  return { changed: Number(row!.changed), removed: Number(row!.removed) };
}

/** The SKUs that left a part after the version. Some may have returned. */
export async function removedSince(query: Query, [{ part, code }, counter]: PartBase): Promise<Set<string>> {
  const select = `SELECT SKU ${CHANGED} AND RemovedCounter > ?`;
  const rows = await query(select, [part, code, counter, LATEST, counter]);
  return new Set(rows.map(({ SKU }) => SKU as string));
}

/** The highest counter that the log has of each of the parts, by {@link partKey}. */
export async function lastCounters(session: WriteSession, parts: readonly ContentPart[]): Promise<Map<string, number>> {
  const counters = new Map<string, number>();
  if (!parts.length) return counters;
  const { sql, parameters } = session.rowIn(
    ['Part', 'Code'],
    parts.map(({ part, code }) => [part, code]),
  );
  for (const table of ['version_history', 'changed_skus']) {
    const select = `SELECT Part, Code, MAX(Counter) AS Counter FROM ${table} WHERE ${sql} GROUP BY Part, Code`;
    for (const row of await session.query(select, parameters))
      counters.set(keyOf(row), Math.max(Number(row.Counter), counters.get(keyOf(row)) ?? 0));
  }
  return counters;
}

const keyOf = ({ Part, Code }: Row) => partKey({ part: Part as ContentPart['part'], code: String(Code) });
