import type { DataSource, QueryRunner, ReplicationMode } from 'typeorm';
import { withDeadline } from './deadline.js';
import type { Query, Row } from './query.js';
import { SESSION } from './server-session.js';

/** What of a pooled connection of mysql2 is needed to give up on it. */
interface Destroyable {
  destroy(): void;
}

/** Connections whose session is set up. */
const sessionsSetUp = new WeakSet<Destroyable>();

/** A pooled connection for one task. */
export class Lease {
  private broken = false;

  private constructor(
    private readonly queryRunner: QueryRunner,
    private readonly connection: Destroyable,
    private readonly patience: number,
  ) {}

  /**
   * @param none what is said where no connection comes free
   * @param wait milliseconds to wait for one
   * @param patience milliseconds that each statement may take
   */
  static async of(
    pool: DataSource,
    none: string,
    wait: number,
    patience: number,
    mode: ReplicationMode = 'master',
  ): Promise<Lease> {
    const queryRunner = pool.createQueryRunner(mode);
    const late = () => queryRunner.release();
    const message = `${none} came free within ${wait} ms`;
    const connection = await withDeadline<Destroyable>(queryRunner.connect(), wait, message, late);
    return new Lease(queryRunner, connection, patience);
  }

  /** Sets up the session of a connection that nothing set up before. */
  async prepare(): Promise<void> {
    if (sessionsSetUp.has(this.connection)) return;
    try {
      for (const sql of SESSION) await this.query(sql);
    } catch (error) {
      await this.release();
      throw error;
    }
    sessionsSetUp.add(this.connection);
  }

  readonly query: Query = async (sql, parameters = []) => {
    if (this.broken) throw new Error('The connection was given up');
    const message = `The database did not answer within ${this.patience} ms`;
    return withDeadline<Row[]>(this.queryRunner.query(sql, [...parameters]), this.patience, message).catch((error) => {
      this.broken ||= error.message === message;
      throw error;
    });
  };

  async release(): Promise<void> {
    if (this.broken) this.connection.destroy();
    await this.queryRunner.release();
  }
}
