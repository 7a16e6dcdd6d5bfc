import { setTimeout as sleep } from 'node:timers/promises';
import type { DataSource, QueryRunner } from 'typeorm';
import { BusyError } from './busy-error.js';
import { hasNoneLeft, isLost } from './connection-errors.js';
import { withDeadline } from './deadline.js';
import type { PoolLoad } from './engine.js';
import type { Query, Row } from './query.js';

/** How soon a server that has no connection to give is asked again, in milliseconds. */
const RETRY_MS = 50;

/** A connection that has been idle for this long may have been dropped on the way without a sign, in milliseconds. */
const IDLE_MS = 1000;
/** How long its first statement may take before it counts as dropped, in milliseconds; at most a third of the wait. */
const IDLE_PATIENCE_MS = 500;

/** What of a pooled connection of mysql2 is needed to give up on it. */
interface Destroyable {
  destroy(): void;
}

type Pool = DataSource | Promise<DataSource>;

/** When a connection last answered, or was made. */
const heard = new WeakMap<Destroyable, number>();

/** What holds for the connections of a pool. */
export interface LeaseTerms {
  /** Milliseconds for a connection and, together with that, for what a task begins with. */
  readonly wait: number;
  readonly load: PoolLoad;
  readonly server: ServerState;
}

/** A server, as all pools of connections to it know it. */
interface ServerState {
  /** When the last statement was sent, or pool begun to be opened, that it did not answer in time. */
  silentSince: number;
}

/** Takes down that it did not answer in time what was asked then; what was asked later may have been known earlier. */
export function fellSilent(server: ServerState, since: number): void {
  server.silentSince = Math.max(server.silentSince, since);
}

/** A task that has begun: its connection, and the rows of its first statement. */
interface BegunTask {
  lease: Lease;
  rows: Row[];
}

/** A pooled connection for one task. */
export class Lease {
  private broken = false;
  private patience?: number;

  private constructor(
    private readonly queryRunner: QueryRunner,
    private readonly connection: Destroyable,
    private readonly terms: LeaseTerms,
    private readonly deadline: number,
  ) {
    terms.load.inUse++;
  }

  /** @throws if no connection comes free in time */
  static async of(pool: Pool, terms: LeaseTerms, deadline = performance.now() + terms.wait): Promise<Lease> {
    const { wait, load } = terms;
    const message = `None of the ${load.size} ${load.name} connections came free within ${wait} ms`;
    load.waiting++;
    // In whole milliseconds, so that a pool that cannot be opened within the wait is known as silent before this ends.
    const left = Math.ceil(Math.max(0, deadline - performance.now()));
    const connected = withDeadline(connect(pool, terms, deadline), left, message, giveBack).catch((error) => {
      throw error.message === message || hasNoneLeft(error) ? new BusyError(message, { cause: error }) : error;
    });
    const { queryRunner, connection } = await connected.finally(() => load.waiting--);
    return new Lease(queryRunner, connection, terms, deadline);
  }

  /**
   * Leases a connection and runs the first statement of a task, which only reads. If a connection from the pool turns
   * out to be dead, the statement runs once more, on another connection and within the same deadline.
   */
  static async begin(pool: Pool, terms: LeaseTerms, sql: string, parameters?: readonly unknown[]): Promise<BegunTask> {
    const deadline = performance.now() + terms.wait;
    try {
      return await Lease.attempt(pool, terms, deadline, sql, parameters);
    } catch (error) {
      if (!(error instanceof DeadConnection)) throw error;
    }
    return Lease.attempt(pool, terms, deadline, sql, parameters);
  }

  private static async attempt(
    pool: Pool,
    terms: LeaseTerms,
    deadline: number,
    sql: string,
    parameters?: readonly unknown[],
  ): Promise<BegunTask> {
    const lease = await Lease.of(pool, terms, deadline);
    try {
      return { lease, rows: await lease.first(sql, parameters) };
    } catch (error) {
      await lease.release();
      throw error;
    }
  }

  readonly query: Query = (sql, parameters = []) =>
    this.run(sql, parameters, this.patience ?? this.deadline - performance.now());

  /** The task has begun: from now on each statement may take so many milliseconds. */
  setStatementTimeout(patience: number): void {
    this.patience = patience;
  }

  async release(): Promise<void> {
    this.terms.load.inUse--;
    if (this.broken) this.connection.destroy();
    await this.queryRunner.release();
  }

  /** @throws {DeadConnection} if another connection may well answer within the deadline */
  private async first(sql: string, parameters: readonly unknown[] = []): Promise<Row[]> {
    const now = performance.now();
    const left = this.deadline - now;
    const isIdle = now - heard.get(this.connection)! >= IDLE_MS;
    try {
      return await this.run(sql, parameters, isIdle ? Math.min(left, IDLE_PATIENCE_MS, this.terms.wait / 3) : left);
    } catch (error) {
      if (!this.broken || performance.now() >= this.deadline) throw error;
      throw new DeadConnection((error as Error).message, { cause: error });
    }
  }

  private async run(sql: string, parameters: readonly unknown[], limit: number): Promise<Row[]> {
    if (this.broken) throw new Error('The connection was given up');
    const sent = performance.now();
    const patience = Math.round(Math.max(0, limit));
    const message = `The database did not answer within ${patience} ms`;
    const response = withDeadline<Row[]>(this.queryRunner.query(sql, [...parameters]), patience, message);
    try {
      const rows = await response;
      heard.set(this.connection, performance.now());
      return rows;
    } catch (error) {
      if ((error as Error).message === message || isLost(error)) this.giveUp(sent);
      throw error;
    }
  }

  private giveUp(sent: number): void {
    this.broken = true;
    fellSilent(this.terms.server, sent);
  }
}

/** A connection from the pool does not answer any more. */
class DeadConnection extends Error {}

function giveBack({ queryRunner }: Connected): Promise<void> {
  return queryRunner.release();
}

interface Connected {
  queryRunner: QueryRunner;
  connection: Destroyable;
}

/**
 * A connection that may well answer. Where the server gives no further one, that is one of those that there are, as soon
 * as it is free. Where a statement went unanswered, idle connections of that time are thrown away: the server may have
 * gone without a word, and each of them would cost somebody the whole wait.
 */
async function connect(pool: Pool, { server }: LeaseTerms, deadline: number): Promise<Connected> {
  for (;;) {
    const queryRunner = (await pool).createQueryRunner();
    try {
      const connection: Destroyable = await queryRunner.connect();
      if (!heard.has(connection)) heard.set(connection, performance.now());
      if (heard.get(connection)! >= server.silentSince) return { queryRunner, connection };
      connection.destroy();
      await queryRunner.release();
    } catch (error) {
      if (!hasNoneLeft(error) || performance.now() + RETRY_MS >= deadline) throw error;
      await sleep(RETRY_MS);
    }
  }
}
