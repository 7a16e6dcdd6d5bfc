import { setTimeout as sleep } from 'node:timers/promises';
import type { QueryRunner } from 'typeorm';

/** How long a statement waits for a table at a time, and then leaves it to others, in seconds. */
const ATTEMPT_SECONDS = 2;
const PAUSE_MS = 3000;
/** Longer than an answer may take, see DOWNLOAD_MAX_SECONDS. */
const PATIENCE_MS = 3_600_000;
const LOCK_WAIT_TIMEOUT = 1205;

/**
 * Runs `work` with a query runner whose statements wait for tables in short attempts. A change of a table waits for every
 * answer under way that has read it, and who comes later waits behind the change: in one long attempt a single slow
 * client would bring all answers to a stand.
 * @param tell told once that it has to wait
 */
export async function inShortAttempts<T>(
  queryRunner: QueryRunner,
  work: (queryRunner: QueryRunner) => Promise<T>,
  tell: (line: string) => void,
): Promise<T> {
  const once = queryRunner.query.bind(queryRunner);
  const started = Date.now();
  let told = false;
  const again: QueryRunner['query'] = async (...statement: Parameters<QueryRunner['query']>) => {
    for (; ; await sleep(PAUSE_MS)) {
      try {
        return await once(...statement);
      } catch (error) {
        const { driverError } = error as { driverError?: { errno?: number } };
        if (driverError?.errno !== LOCK_WAIT_TIMEOUT || Date.now() - started > PATIENCE_MS) throw error;
        if (!told) tell('Answers under way are using the table; the migration waits until they have ended');
        told = true;
      }
    }
  };
  queryRunner.query = again;
  try {
    await once(`SET SESSION lock_wait_timeout = ${ATTEMPT_SECONDS}, innodb_lock_wait_timeout = ${ATTEMPT_SECONDS}`);
    return await work(queryRunner);
  } finally {
    queryRunner.query = once;
    // The connection goes back to its pool.
    await once('SET SESSION lock_wait_timeout = DEFAULT, innodb_lock_wait_timeout = DEFAULT').catch(() => undefined);
  }
}
