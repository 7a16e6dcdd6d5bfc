import { randomUUID } from 'node:crypto';
import type { WriteSession } from '../database/engine.js';
import { upsert } from '../database/upsert.js';
import { timestampText } from '../database/utc-time.js';
import { declarationOf, divisionOf, PART_NAMES } from './content-parts.js';
import { lastCounters, LATEST, type LoggedState, PART_COLUMNS, partKey, STATES, statesIn } from './change-log.js';
import type { ContentPart } from './content-versions.js';

/** How many parts one statement renews or prunes. */
const AT_ONCE = 1000;
/** This number of changes in a part is always logged. More are logged if they are at most this share of its SKUs. */
const [ALWAYS_LOGGED, LARGEST_LOGGED] = [1000, 0.2];

/** What a transaction changed in a content part. */
export interface PartChange extends ContentPart {
  /** The changed SKUs, each with whether it left the part. Undefined: the changes are not known by SKU. */
  skus?: ReadonlyMap<string, Departure>;
}

/**
 * Whether a changed SKU left its part: `yes`, `no`, or `hidden` if it is not in the part now, and was not before. If
 * another program has changed the part in the meantime, that program may have made the SKU visible in between.
 */
export type Departure = 'yes' | 'hidden' | 'no';

/**
 * Gives the parts new versions, in the transaction that changes them, and logs the changed SKUs. Versions are random,
 * not counted, so a version identifies one state of its part even after the database was restored or copied. Until the
 * transaction ends, other writers of the same part wait. A state with a later version therefore contains all earlier
 * changes, and the counters of a part rise in commit order.
 * @param before the states at the beginning of the transaction, if triggers have given the parts versions since then
 */
export async function renewVersions(
  session: WriteSession,
  changes: readonly PartChange[],
  before?: ReadonlyMap<string, LoggedState>,
): Promise<void> {
  const version = randomUUID();
  for (let start = 0; start < changes.length; start += AT_ONCE)
    await renewSome(session, changes.slice(start, start + AT_ONCE), version, before);
}

/** Every part that has a version, or lacks one because another program emptied or replaced the table of versions. */
const ALL = `SELECT Part AS part, Code AS code FROM content_versions ${PART_NAMES.map((part) => {
  const { division } = declarationOf(part);
  return `UNION SELECT '${part}', ${division ? `${division.column} FROM ${division.table}` : "''"}`;
}).join(' ')}`;

/** Gives every part a new version. The changes are unknown, so the log of each part starts again. */
export async function renewAllVersions(session: WriteSession): Promise<void> {
  const parts = await session.query(ALL);
  await renewVersions(session, parts as unknown as ContentPart[]);
}

/** The states of all parts, by {@link partKey}. */
export async function allStates(session: WriteSession): Promise<Map<string, LoggedState>> {
  return statesIn(await session.query(STATES));
}

/**
 * Deletes versions that were superseded before a time, and the log entries that only these versions need. To bound the
 * time of an import, it leaves all but {@link AT_ONCE} parts to later imports.
 * @param before in UTC
 */
export async function pruneHistory(session: WriteSession, before: Date): Promise<void> {
  const old = 'FROM version_history WHERE SupersededAt < ?';
  const parts = await session.query(`SELECT DISTINCT Part, Code ${old} LIMIT ${AT_ONCE}`, [timestampText(before)]);
  if (!parts.length) return;
  const among = session.rowIn(
    ['Part', 'Code'],
    parts.map(({ Part, Code }) => [Part, Code]),
  );
  await session.query(`DELETE ${old} AND ${among.sql}`, [timestampText(before), ...among.parameters]);
  for (const { Part, Code } of parts) {
    const oldest = '(SELECT MIN(Counter) FROM version_history WHERE Part = ? AND Code = ?)';
    const entries = `FROM changed_skus WHERE Part = ? AND Code = ? AND SKU > ? AND Counter <= ${oldest}`;
    await session.query(`DELETE ${entries}`, [Part, Code, LATEST, Part, Code]);
  }
}

/** A part with the state that it had and the state that it gets. */
interface Renewal extends PartChange {
  readonly before?: LoggedState;
  /** The previous state, with its own counter. */
  readonly start?: LoggedState;
  readonly after: LoggedState;
}

async function renewSome(
  session: WriteSession,
  changes: readonly PartChange[],
  version: string,
  before: ReadonlyMap<string, LoggedState> | undefined,
): Promise<void> {
  const states = before ?? (await lockedStates(session, changes, version));
  const last = await lastCounters(
    session,
    changes.filter((change) => !states.get(partKey(change))?.isLogged),
  );
  const renewals: Renewal[] = [];
  for (const change of changes) {
    const state = states.get(partKey(change));
    const lastCounter = last.get(partKey(change)) ?? 0;
    const start = state && logged(state, lastCounter);
    const skus = change.skus && (await isWorthLogging(session, change)) ? change.skus : undefined;
    const counter = (start?.counter ?? lastCounter) + 1;
    const firstCounter = skus && start ? start.firstCounter : counter;
    renewals.push({ ...change, skus, before: state, start, after: { version, isLogged: true, counter, firstCounter } });
  }
  await upsert(
    session,
    'content_versions',
    ['Part', 'Code'],
    ['Version', 'LoggedVersion', 'Counter', 'FirstCounter'],
    renewals.map(({ part, code, after }) => [part, code, version, version, after.counter, after.firstCounter]),
  );
  await noteHistory(session, renewals);
  await logChanges(session, renewals);
}

/**
 * The states of the parts. They do not change until the transaction ends. A locking SELECT could scan the table, and
 * wait for programs that change other parts.
 * @param version the version for parts that have none
 */
async function lockedStates(
  session: WriteSession,
  parts: readonly ContentPart[],
  version: string,
): Promise<ReadonlyMap<string, LoggedState>> {
  const keys = parts.map(({ part, code }) => [part, code]);
  const rows = keys.map((key) => [...key, version]);
  await upsert(session, 'content_versions', ['Part', 'Code'], ['Version'], rows, ['Part']);
  const { sql, parameters } = session.rowIn(PART_COLUMNS, keys);
  const states = statesIn(await session.query(`${STATES} WHERE ${sql}`, parameters));
  return new Map([...states].filter(([, state]) => state.version !== version));
}

/**
 * The state with its own counter. It has none if a program that does not log has changed the part. The counter is
 * higher than every counter in the log, so that no earlier entry or version counts as later.
 */
function logged(state: LoggedState, lastCounter: number): LoggedState {
  if (state.isLogged) return state;
  const counter = Math.max(state.counter, lastCounter) + 1;
  return { ...state, isLogged: true, counter, firstCounter: counter };
}

async function isWorthLogging(session: WriteSession, { part, code, skus }: PartChange): Promise<boolean> {
  if (skus!.size <= ALWAYS_LOGGED) return true;
  const column = divisionOf(part);
  const where = column ? `WHERE ${column} = ?` : '';
  const sql = `SELECT COUNT(*) AS size FROM ${declarationOf(part).rows} ${where}`;
  const [row] = await session.query(sql, column ? [code] : []);
  return skus!.size <= Number(row!.size) * LARGEST_LOGGED;
}

async function noteHistory(session: WriteSession, renewals: readonly Renewal[]): Promise<void> {
  const now = timestampText(new Date());
  const { sql, parameters } = session.rowIn(
    ['Part', 'Code'],
    renewals.map(({ part, code }) => [part, code]),
  );
  const supersede = `UPDATE version_history SET SupersededAt = ? WHERE SupersededAt IS NULL AND ${sql}`;
  await session.query(supersede, [now, ...parameters]);
  const rows = renewals.flatMap(({ part, code, before, start, after }) => {
    const fresh = [part, code, after.version, after.counter, null];
    return !start || before?.isLogged ? [fresh] : [[part, code, start.version, start.counter, now], fresh];
  });
  await upsert(session, 'version_history', ['Part', 'Code', 'Version'], ['Counter', 'SupersededAt'], rows);
}

async function logChanges(session: WriteSession, renewals: readonly Renewal[]): Promise<void> {
  const [removed, others]: unknown[][][] = [[], []];
  for (const {
    part,
    code,
    skus,
    before,
    after: { counter },
  } of renewals) {
    for (const [sku, departure] of skus ?? []) {
      const hasLeft = departure === 'yes' || (departure === 'hidden' && !before?.isLogged);
      (hasLeft ? removed : others)!.push([part, code, sku, counter, hasLeft ? counter : null]);
    }
    others!.push([part, code, LATEST, counter, null]);
  }
  const key = ['Part', 'Code', 'SKU'];
  await upsert(session, 'changed_skus', key, ['Counter', 'RemovedCounter'], removed!);
  // A SKU that returns keeps the version at which it last left.
  await upsert(session, 'changed_skus', key, ['Counter', 'RemovedCounter'], others!, ['Counter']);
}
