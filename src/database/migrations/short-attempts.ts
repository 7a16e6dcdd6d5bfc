import { setTimeout as sleep } from 'node:timers/promises';
import type { QueryRunner } from 'typeorm';
import { ANNOUNCE_WAIT, WITHDRAW_WAIT } from '../writers-lock.js';

/** How long a statement waits for a table before it lets other statements proceed, in seconds. */
const ATTEMPT_SECONDS = 1;
const PAUSE_MS = 3000;
/** Total wait for a table. It is far longer than a snapshot lasts. */
const PATIENCE_MS = 3_600_000;
const LOCK_WAIT_TIMEOUT = 1205;

/**
 * Runs `work` with a query runner whose statements wait for tables in short attempts. A change of a table waits for every
 * snapshot that has read the table, and later statements wait behind the change. One long attempt would block all
 * responses until the last snapshot ends.
 * @param report receives one line when the migration has to wait
 */
export async function inShortAttempts<T>(
  queryRunner: QueryRunner,
  work: (queryRunner: QueryRunner) => Promise<T>,
  report: (line: string) => void,
): Promise<T> {
  const once = queryRunner.query.bind(queryRunner);
  const started = Date.now();
  let [reported, announced] = [false, false];
  const again: QueryRunner['query'] = async (...statement: Parameters<QueryRunner['query']>) => {
    for (; ; await sleep(PAUSE_MS)) {
      try {
        const result = await once(...statement);
        if (announced) await once(WITHDRAW_WAIT);
        announced = false;
        return result;
      } catch (error) {
        const { driverError } = error as { driverError?: { errno?: number } };
        if (driverError?.errno !== LOCK_WAIT_TIMEOUT || Date.now() - started > PATIENCE_MS) throw error;
        if (!reported)
          report('Responses in flight are reading the table; the migration waits until they have been read');
        if (!announced) await once(ANNOUNCE_WAIT);
        reported = announced = true;
      }
    }
  };
  queryRunner.query = again;
  try {
    await once(`SET SESSION lock_wait_timeout = ${ATTEMPT_SECONDS}, innodb_lock_wait_timeout = ${ATTEMPT_SECONDS}`);
    return await work(queryRunner);
  } finally {
    queryRunner.query = once;
    if (announced) await once(WITHDRAW_WAIT).catch(() => undefined);
    // The connection returns to its pool.
    await once('SET SESSION lock_wait_timeout = DEFAULT, innodb_lock_wait_timeout = DEFAULT').catch(() => undefined);
  }
}
