import type { DataSource, QueryRunner } from 'typeorm';

const WAIT_SECONDS = 3600;

/**
 * Runs `work` on a connection of its own while no other process migrates or imports. On a server that is a named lock,
 * freed with the connection if the process dies; SQLite's own write lock serves the embedded database.
 */
export async function underWriteLock<T>(
  dataSource: DataSource,
  work: (queryRunner: QueryRunner) => Promise<T>,
): Promise<T> {
  const queryRunner = dataSource.createQueryRunner();
  const server = dataSource.options.type === 'mysql';
  try {
    if (server) await takeLock(queryRunner);
    return await work(queryRunner);
  } finally {
    if (server) await queryRunner.query(`DO RELEASE_LOCK(${LOCK_NAME})`).catch(() => undefined);
    await queryRunner.release();
  }
}

/**
 * Runs `work` in one transaction. SQLite takes its write lock at the start, so that a writer that read first cannot be
 * refused later.
 */
export async function inTransaction<T>(queryRunner: QueryRunner, work: () => Promise<T>): Promise<T> {
  await queryRunner.query(queryRunner.dataSource.options.type === 'mysql' ? 'START TRANSACTION' : 'BEGIN IMMEDIATE');
  try {
    const result = await work();
    await queryRunner.query('COMMIT');
    return result;
  } catch (error) {
    await queryRunner.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

// A lock's name holds for the whole server and has at most 64 characters.
const LOCK_NAME = `CONCAT('customer-data:', LEFT(SHA2(DATABASE(), 256), 40))`;

async function takeLock(queryRunner: QueryRunner): Promise<void> {
  const [{ taken }] = await queryRunner.query(`SELECT GET_LOCK(${LOCK_NAME}, ?) AS taken`, [WAIT_SECONDS]);
  if (Number(taken) !== 1)
    throw new Error(`Another import or migration has held its lock for ${WAIT_SECONDS} s; is it stuck?`);
}
