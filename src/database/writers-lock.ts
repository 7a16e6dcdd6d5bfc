import type { DataSource, QueryRunner } from 'typeorm';

/** How long a command waits for another's import or migration, in seconds. */
const LOCK_SECONDS = 3600;
/** A lock's name holds for the whole server and has at most 64 characters. */
const LOCK_NAME = `CONCAT('customer-data:', LEFT(SHA2(DATABASE(), 256), 40))`;

/** Runs `work` on a connection of its own that holds the writers' lock, which ends with the connection if we die. */
export async function underLock<T>(dataSource: DataSource, work: (queryRunner: QueryRunner) => Promise<T>): Promise<T> {
  const queryRunner = dataSource.createQueryRunner();
  try {
    const [row] = await queryRunner.query(`SELECT GET_LOCK(${LOCK_NAME}, ?) AS taken`, [LOCK_SECONDS]);
    if (Number(row?.taken) !== 1)
      throw new Error(`Another import or migration has held its lock for ${LOCK_SECONDS} s; is it stuck?`);
    return await work(queryRunner);
  } finally {
    await queryRunner.query(`DO RELEASE_LOCK(${LOCK_NAME})`).catch(() => undefined);
    await queryRunner.release();
  }
}
