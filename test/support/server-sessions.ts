import { setTimeout as sleep } from 'node:timers/promises';
import type { TestDatabase } from './test-service.js';

// If any session runs a statement with characters outside utf8mb3, such as emojis, MySQL 9.7 fails to read the tables
// `processlist` and `innodb_trx` of `information_schema`. SHOW does not fail.

const SHOW_SESSIONS = 'SHOW PROCESSLIST';

/** Returns the IDs of the sessions of other clients on this database. */
export async function sessionsOn(database: TestDatabase): Promise<number[]> {
  const name = new URL(database.url).pathname.slice(1);
  const sessions = await database.sql(SHOW_SESSIONS);
  return sessions.filter(({ db, Info }) => db === name && Info !== SHOW_SESSIONS).map(({ Id }) => Number(Id));
}

/** Ends the sessions of other clients on this database. @returns their number */
export async function killSessionsOn(database: TestDatabase): Promise<number> {
  const sessions = await sessionsOn(database);
  for (const session of sessions)
    await database.sql(`KILL ${session}`).catch((error: { code?: string }) => {
      // The session may have ended in the meantime.
      if (error.code !== 'ER_NO_SUCH_THREAD') throw error;
    });
  return sessions.length;
}

/** Returns how many transactions on this database wait for locks. */
export async function lockWaits(database: TestDatabase): Promise<number> {
  const sessions = new Set(await sessionsOn(database));
  const [row] = await database.sql('SHOW ENGINE INNODB STATUS');
  // The text before the list describes the latest deadlock, which is over.
  const [, list = ''] = String(row!.Status).split('LIST OF TRANSACTIONS FOR EACH SESSION:');
  const waiting = list.split('---TRANSACTION ').filter((text) => /^LOCK WAIT/m.test(text));
  return waiting.filter((text) => sessions.has(Number(/ thread id (\d+),/.exec(text)?.[1]))).length;
}

/** Resolves when this number of transactions wait for locks on the server, or after 2 s if they do not need to wait. */
export async function lockWait(database: TestDatabase, count = 1): Promise<void> {
  for (const end = performance.now() + 2000; performance.now() < end; await sleep(20))
    if ((await lockWaits(database)) >= count) return;
}
