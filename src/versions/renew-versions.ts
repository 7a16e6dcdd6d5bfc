import { randomUUID } from 'node:crypto';
import type { WriteSession } from '../database/engine.js';
import { timestampText } from '../database/utc-time.js';
import { declarationOf, divisionOf, PART_NAMES } from './content-parts.js';
import { type LoggedState, partKey, STATES, statesIn } from './change-log.js';
import type { ContentPart } from './content-versions.js';

/** How many parts one statement renews, and how many SKUs it logs. */
const AT_ONCE = 1000;
/** This number of changes in a part is always logged. More are logged if they are at most this share of its SKUs. */
const [ALWAYS_LOGGED, LARGEST_LOGGED] = [1000, 0.2];

/** What a transaction changed in a content part. */
export interface PartChange extends ContentPart {
  /** The changed SKUs. The value is whether the SKU left the part. Undefined: the changes are not known by SKU. */
  skus?: ReadonlyMap<string, boolean>;
}

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
 * Deletes versions that were superseded before a time, and the log entries that only these versions need.
 * @param before in UTC
 */
export async function pruneHistory(session: WriteSession, before: Date): Promise<void> {
  const old = 'FROM version_history WHERE SupersededAt < ?';
  const parts = await session.query(`SELECT DISTINCT Part, Code ${old}`, [timestampText(before)]);
  await session.query(`DELETE ${old}`, [timestampText(before)]);
  for (const { Part, Code } of parts) {
    const oldest = '(SELECT MIN(Counter) FROM version_history WHERE Part = ? AND Code = ?)';
    const parameters = [Part, Code, Part, Code];
    await session.query(`DELETE FROM changed_skus WHERE Part = ? AND Code = ? AND Counter <= ${oldest}`, parameters);
  }
}

/** A part with the state that it had and the state that it gets. */
interface Renewal extends PartChange {
  readonly before?: LoggedState;
  readonly after: LoggedState;
}

async function renewSome(
  session: WriteSession,
  changes: readonly PartChange[],
  version: string,
  before: ReadonlyMap<string, LoggedState> | undefined,
): Promise<void> {
  const states = before ?? (await lockedStates(session, changes));
  const renewals: Renewal[] = [];
  for (const change of changes) {
    const state = states.get(partKey(change));
    const skus = change.skus && (await isWorthLogging(session, change)) ? change.skus : undefined;
    renewals.push({ ...change, skus, before: state, after: renewed(state, version, skus !== undefined) });
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

/** The states of the parts. Until the transaction ends, they stay as they are. */
async function lockedStates(
  session: WriteSession,
  parts: readonly ContentPart[],
): Promise<ReadonlyMap<string, LoggedState>> {
  const { sql, parameters } = session.rowIn(
    ['Part', 'Code'],
    parts.map(({ part, code }) => [part, code]),
  );
  return statesIn(await session.query(`${STATES} WHERE ${sql} ${session.forUpdate}`, parameters));
}

/** The next state. If the log does not lead to the previous state, the log starts again from that state. */
function renewed(before: LoggedState | undefined, version: string, isLogged: boolean): LoggedState {
  const start = before && logged(before);
  const counter = (start?.counter ?? 0) + 1;
  return { version, loggedVersion: version, counter, firstCounter: isLogged && start ? start.firstCounter : counter };
}

/** The state with its own counter. It has none if a program that does not log has changed the part. */
function logged(state: LoggedState): LoggedState {
  const { version, loggedVersion, counter } = state;
  return version === loggedVersion
    ? state
    : { version, loggedVersion: version, counter: counter + 1, firstCounter: counter + 1 };
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
  const rows = renewals.flatMap(({ part, code, before, after }) => {
    const fresh = [part, code, after.version, after.counter, null];
    if (!before || before.version === before.loggedVersion) return [fresh];
    return [[part, code, before.version, logged(before).counter, now], fresh];
  });
  await upsert(session, 'version_history', ['Part', 'Code', 'Version'], ['Counter', 'SupersededAt'], rows);
}

async function logChanges(session: WriteSession, renewals: readonly Renewal[]): Promise<void> {
  const [removed, others]: unknown[][][] = [[], []];
  for (const { part, code, skus, after } of renewals)
    for (const [sku, hasLeft] of skus ?? [])
      (hasLeft ? removed : others)!.push([part, code, sku, after.counter, hasLeft ? after.counter : null]);
  const key = ['Part', 'Code', 'SKU'];
  await upsert(session, 'changed_skus', key, ['Counter', 'RemovedCounter'], removed!);
  // A SKU that returns keeps the version at which it last left.
  await upsert(session, 'changed_skus', key, ['Counter', 'RemovedCounter'], others!, ['Counter']);
}

/** Inserts rows. @param overwritten the columns that a row gets if its key exists */
async function upsert(
  session: WriteSession,
  table: string,
  key: readonly string[],
  columns: readonly string[],
  rows: readonly (readonly unknown[])[],
  overwritten = columns,
): Promise<void> {
  const insert = `INSERT INTO ${table} (${[...key, ...columns].join()}) VALUES`;
  const clause = session.upsertClause(key, overwritten);
  for (let start = 0; start < rows.length; start += AT_ONCE) {
    const { sql, parameters } = session.values(rows.slice(start, start + AT_ONCE));
    await session.query(`${insert} ${sql}${clause}`, parameters);
  }
}
