import type { DataSource, QueryRunner, ReplicationMode } from 'typeorm';
import { withDeadline } from './deadline.js';
import type { PoolLoad } from './engine.js';
import type { Query, Row } from './query.js';
import { SESSION } from './server-session.js';

/** What of a pooled connection of mysql2 is needed to give up on it. */
interface Destroyable {
  destroy(): void;
}

/** Connections whose session is set up. */
const sessionsSetUp = new WeakSet<Destroyable>();

/** What holds for the connections of a pool. */
export interface LeaseTerms {
  /** Milliseconds to wait for one. */
  readonly wait: number;
  /** Milliseconds that each statement may take. */
  readonly patience: number;
  readonly load: PoolLoad;
}

/** A pooled connection for one task. */
export class Lease {
  private broken = false;

  private constructor(
    private readonly queryRunner: QueryRunner,
    private readonly connection: Destroyable,
    private readonly terms: LeaseTerms,
  ) {
    terms.load.inUse++;
  }

  /** @throws if no connection comes free in time */
  static async of(pool: DataSource, terms: LeaseTerms, mode: ReplicationMode = 'master'): Promise<Lease> {
    const { wait, load } = terms;
    const queryRunner = pool.createQueryRunner(mode);
    const late = () => queryRunner.release();
    const message = `None of the ${load.size} ${load.name} connections came free within ${wait} ms`;
    load.waiting++;
    const connected = withDeadline<Destroyable>(queryRunner.connect(), wait, message, late);
    const connection = await connected.finally(() => load.waiting--);
    return new Lease(queryRunner, connection, terms);
  }

  /**
   * Sets up the session of a connection that nothing set up before, and begins with a first statement.
   * @throws if it does not answer in the time that one waits for a connection; then it is released
   */
  async begin(first: string): Promise<void> {
    const setUp = sessionsSetUp.has(this.connection) ? [] : SESSION;
    try {
      for (const sql of [...setUp, first]) await this.run(sql, [], this.terms.wait);
    } catch (error) {
      await this.release();
      throw error;
    }
    sessionsSetUp.add(this.connection);
  }

  readonly query: Query = (sql, parameters = []) => this.run(sql, parameters, this.terms.patience);

  async release(): Promise<void> {
    this.terms.load.inUse--;
    if (this.broken) this.connection.destroy();
    await this.queryRunner.release();
  }

  private async run(sql: string, parameters: readonly unknown[], patience: number): Promise<Row[]> {
    if (this.broken) throw new Error('The connection was given up');
    const message = `The database did not answer within ${patience} ms`;
    return withDeadline<Row[]>(this.queryRunner.query(sql, [...parameters]), patience, message).catch((error) => {
      this.broken ||= error.message === message;
      throw error;
    });
  }
}
