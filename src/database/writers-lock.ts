import type { DataSource, QueryRunner } from 'typeorm';
import type { Query } from './query.js';
import { explainRefusal, type Task } from './refused-statement.js';

/** How long a command waits for another import or migration, in seconds. */
const LOCK_SECONDS = 3600;
/** The name of a lock is unique on the whole server and has at most 64 characters. */
const nameOf = (prefix: string) => `CONCAT('${prefix}', LEFT(SHA2(DATABASE(), 256), 40))`;
const LOCK_NAME = nameOf('customer-data:');
/**
 * A migration holds this lock while it waits for snapshots. The service checks this lock and then ends the snapshots
 * that slow clients hold up.
 */
const WAITING_LOCK = nameOf('customer-data-waits:');

export const ANNOUNCE_WAIT = `DO GET_LOCK(${WAITING_LOCK}, 0)`;
export const WITHDRAW_WAIT = `DO RELEASE_LOCK(${WAITING_LOCK})`;
/** A statement that returns whether a migration `waits`. */
export const MIGRATION_WAITS = `SELECT IS_USED_LOCK(${WAITING_LOCK}) IS NOT NULL AS waits`;

/**
 * Runs `work` on its own connection, which holds the writers' lock. The server releases it if the process dies.
 * @throws with a remedy, if the server refuses a statement of the task
 */
export async function withWritersLock<T>(
  dataSource: DataSource,
  task: Task,
  work: (queryRunner: QueryRunner) => Promise<T>,
): Promise<T> {
  const queryRunner = dataSource.createQueryRunner();
  const query: Query = (sql, parameters = []) => queryRunner.query(sql, [...parameters]);
  try {
    const [row] = await query(`SELECT GET_LOCK(${LOCK_NAME}, ?) AS taken`, [LOCK_SECONDS]);
    if (Number(row?.taken) !== 1)
      throw new Error(`Another import or migration has held its lock for ${LOCK_SECONDS} s; is it stuck?`);
    await assertHoldsLock(query);
    return await work(queryRunner);
  } catch (error) {
    throw await explainRefusal(error, query, task);
  } finally {
    await queryRunner.query(`DO RELEASE_LOCK(${LOCK_NAME})`).catch(() => undefined);
    await queryRunner.release();
  }
}

/**
 * Checks that the connection of a session holds the lock that the session took. A proxy may run the statements of one
 * session on several connections. The lock, the settings and the variables then belong to another session.
 */
export async function assertHoldsLock(query: Query): Promise<void> {
  const [row] = await query(`SELECT IS_USED_LOCK(${LOCK_NAME}) = CONNECTION_ID() AS held`);
  if (Number(row?.held) !== 1)
    throw new Error(
      'The connection to the database has lost the lock of this command, and nothing was written. A proxy probably spreads the statements of a session over several connections: set DATABASE_URL to the server itself, or turn multiplexing off (see docs/clusters.md)',
    );
}
