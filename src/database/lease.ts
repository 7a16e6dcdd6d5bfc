import { setTimeout as sleep } from 'node:timers/promises';
import { type DataSource, QueryFailedError } from 'typeorm';
import type { MysqlDriver } from 'typeorm/driver/mysql/MysqlDriver.js';
import { BusyError } from './busy-error.js';
import { isConnectionLimitReached, isConnectionLost } from './connection-errors.js';
import { withDeadline } from './deadline.js';
import type { PoolLoad } from './engine.js';
import type { Query, Row, Statement } from './query.js';

/** Pause before the next attempt if the server has reached its connection limit, in milliseconds. */
const RETRY_MS = 50;

/** After this idle time, in milliseconds, a firewall may have dropped the connection without notice. */
const IDLE_MS = 1000;
/** Timeout of the first statement on such a connection, in milliseconds. It is at most a third of the wait setting. */
const IDLE_TIMEOUT_MS = 500;

/** How long lookups are sent as text after a prepared statement was refused, in milliseconds. */
const REFUSED_MS = 60_000;

/** mysql2 parses an invalid timestamp in another way if the statement is prepared. Text is the same in both cases. */
const DATES_AS_TEXT = { dateStrings: true };

type Options = typeof DATES_AS_TEXT & { sql: string };
type Send = (
  options: Options,
  parameters: readonly unknown[],
  done: (error: Error | null, rows: Row[]) => void,
) => void;

/** The part of a pooled mysql2 connection that this module uses. */
interface Connection {
  query: Send;
  /** Sends a prepared statement. The connection prepares each statement once. */
  execute: Send;
  release(): void;
  destroy(): void;
}

type Pool = DataSource | Promise<DataSource>;

/** When a connection last returned a result, or was opened. */
const lastResponseAt = new WeakMap<Connection, number>();

/** Settings and state that all leases of a pool share. */
export interface LeaseTerms {
  /** Deadline for connecting and the first statement together, in milliseconds. */
  readonly wait: number;
  readonly load: PoolLoad;
  readonly server: ServerState;
}

/** State of a server that all pools of connections to it share. */
interface ServerState {
  /** Start of the latest statement, or opening of a pool, that timed out. 0 if none did. */
  silentSince: number;
  /** When the server, or a proxy before it, last refused to run a prepared statement. */
  preparedRefusedAt?: number;
}

/** Records that work started at `since` timed out. Keeps a later time that is recorded already. */
export function markSilent(server: ServerState, since: number): void {
  server.silentSince = Math.max(server.silentSince, since);
}

/** A connection and the rows of the first statement on it. */
interface StartedTask {
  lease: Lease;
  rows: Row[];
}

/** A pooled connection that one task uses. */
export class Lease {
  private broken = false;
  private released = false;
  private statementTimeout?: number;

  private constructor(
    private readonly connection: Connection,
    private readonly terms: LeaseTerms,
    private readonly deadline: number,
  ) {
    terms.load.inUse++;
  }

  /** @throws if no connection becomes free before the deadline */
  private static async acquire(pool: Pool, terms: LeaseTerms, deadline: number): Promise<Lease> {
    const { wait, load } = terms;
    const message = `None of the ${load.size} ${load.name} connections came free within ${wait} ms`;
    load.waiting++;
    // Rounded up, so that opening the pool times out, and marks the server silent, before this deadline.
    const left = Math.ceil(Math.max(0, deadline - performance.now()));
    try {
      return new Lease(await withDeadline(connect(pool, terms, deadline), left, message, releaseLate), terms, deadline);
    } catch (error) {
      if ((error as Error).message !== message && !isConnectionLimitReached(error)) throw error;
      throw new BusyError(message, { cause: error });
    } finally {
      load.waiting--;
    }
  }

  /**
   * Leases a connection and runs the first statement of a task. If the connection is dead, the statement runs once more,
   * on another connection and within the same deadline. The statement must only read.
   */
  static async begin(pool: Pool, terms: LeaseTerms, statement: Statement): Promise<StartedTask> {
    const deadline = performance.now() + terms.wait;
    try {
      return await Lease.attempt(pool, terms, deadline, statement);
    } catch (error) {
      if (!(error instanceof DeadConnection)) throw error;
    }
    return Lease.attempt(pool, terms, deadline, statement);
  }

  private static async attempt(
    pool: Pool,
    terms: LeaseTerms,
    deadline: number,
    statement: Statement,
  ): Promise<StartedTask> {
    const lease = await Lease.acquire(pool, terms, deadline);
    try {
      return { lease, rows: await lease.firstQuery(statement) };
    } catch (error) {
      lease.release();
      throw error;
    }
  }

  readonly query: Query = (sql, parameters = []) =>
    this.run({ sql, parameters }, this.statementTimeout ?? this.deadline - performance.now());

  /** Replaces the deadline of the lease by a timeout for each further statement, in milliseconds. */
  setStatementTimeout(timeout: number): void {
    this.statementTimeout = timeout;
  }

  /** Ends the lease. Another task may then have the connection, so further calls and statements do not reach it. */
  release(): void {
    if (this.released) return;
    this.released = true;
    this.terms.load.inUse--;
    if (this.broken) this.connection.destroy();
    else this.connection.release();
  }

  /** @throws {DeadConnection} if the connection is dead and the deadline leaves time for another one */
  private async firstQuery(statement: Statement): Promise<Row[]> {
    const now = performance.now();
    const left = this.deadline - now;
    const isIdle = now - lastResponseAt.get(this.connection)! >= IDLE_MS;
    try {
      return await this.run(statement, isIdle ? Math.min(left, IDLE_TIMEOUT_MS, this.terms.wait / 3) : left);
    } catch (error) {
      if (!this.broken || performance.now() >= this.deadline) throw error;
      throw new DeadConnection((error as Error).message, { cause: error });
    }
  }

  private async run(statement: Statement, limit: number): Promise<Row[]> {
    if (this.released) throw new Error('The connection was given back before this statement');
    if (this.broken) throw new Error('The connection was discarded after an earlier error');
    const sentAt = performance.now();
    const timeout = Math.round(Math.max(0, limit));
    const message = `The database did not respond within ${timeout} ms`;
    const response = withDeadline(this.send(statement), timeout, message);
    try {
      const rows = await response;
      lastResponseAt.set(this.connection, performance.now());
      return rows;
    } catch (error) {
      if ((error as Error).message === message || isConnectionLost(error)) this.markBroken(sentAt);
      throw error;
    }
  }

  /**
   * Sends a statement. If a prepared statement is refused, sends it as text. If that succeeds, the reason may be a limit of
   * the server or a proxy without prepared statements, so the process sends no further ones for a while.
   */
  private async send({ sql, parameters = [], isPrepared }: Statement): Promise<Row[]> {
    const { server } = this.terms;
    const { preparedRefusedAt = -Infinity } = server;
    if (!isPrepared || performance.now() - preparedRefusedAt < REFUSED_MS)
      return rowsOf(this.connection, 'query', sql, parameters);
    try {
      return await rowsOf(this.connection, 'execute', sql, parameters);
    } catch (error) {
      if (isConnectionLost(error)) throw error;
    }
    const rows = await rowsOf(this.connection, 'query', sql, parameters);
    server.preparedRefusedAt = performance.now();
    return rows;
  }

  private markBroken(sentAt: number): void {
    this.broken = true;
    markSilent(this.terms.server, sentAt);
  }
}

/** A connection from the pool no longer responds. */
class DeadConnection extends Error {}

async function releaseLate(connection: Connection): Promise<void> {
  connection.release();
}

/** Bypasses TypeORM, which takes as much time for each statement as mysql2 itself. */
function rowsOf(
  connection: Connection,
  method: 'query' | 'execute',
  sql: string,
  parameters: readonly unknown[],
): Promise<Row[]> {
  return new Promise((resolve, reject) =>
    connection[method]({ sql, ...DATES_AS_TEXT }, parameters, (error, rows) =>
      error ? reject(new QueryFailedError(sql, [...parameters], error)) : resolve(rows),
    ),
  );
}

/**
 * Takes a connection from the pool, or opens one. If the server has reached its limit, waits until a connection of the
 * pool is free. If the server was silent, destroys the connections that have returned nothing since then. They may be
 * dead, and a request on a dead connection would wait until its deadline.
 */
async function connect(pool: Pool, { server }: LeaseTerms, deadline: number): Promise<Connection> {
  for (;;) {
    const driver = (await pool).driver as MysqlDriver;
    try {
      const connection: Connection = await driver.obtainMasterConnection();
      if (!lastResponseAt.has(connection)) lastResponseAt.set(connection, performance.now());
      if (lastResponseAt.get(connection)! >= server.silentSince) return connection;
      connection.destroy();
    } catch (error) {
      if (!isConnectionLimitReached(error) || performance.now() + RETRY_MS >= deadline) throw error;
      await sleep(RETRY_MS);
    }
  }
}
