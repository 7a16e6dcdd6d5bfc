import { setTimeout as sleep } from 'node:timers/promises';
import type { DataSource, QueryRunner } from 'typeorm';
import { withDeadline } from './deadline.js';
import { BusyError } from './busy-error.js';
import type { PoolLoad } from './engine.js';
import type { Query, Row } from './query.js';

/** How soon a server that has no connection to give is asked again, in milliseconds. */
const RETRY_MS = 50;
/** What such a server says: it has none at all, or none for this account. */
const NONE_LEFT = new Set(['ER_CON_COUNT_ERROR', 'ER_TOO_MANY_USER_CONNECTIONS', 'ER_USER_LIMIT_REACHED']);

/** What of a pooled connection of mysql2 is needed to give up on it. */
interface Destroyable {
  destroy(): void;
}

/** When a connection last answered. */
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
  static async of(pool: DataSource | Promise<DataSource>, terms: LeaseTerms): Promise<Lease> {
    const { wait, load } = terms;
    const deadline = performance.now() + wait;
    const message = `None of the ${load.size} ${load.name} connections came free within ${wait} ms`;
    load.waiting++;
    const connected = withDeadline(connect(pool, terms, deadline), wait, message, giveBack).catch((error) => {
      throw error.message === message || hasNoneLeft(error) ? new BusyError(message, { cause: error }) : error;
    });
    const { queryRunner, connection } = await connected.finally(() => load.waiting--);
    return new Lease(queryRunner, connection, terms, deadline);
  }

  readonly query: Query = async (sql, parameters = []) => {
    if (this.broken) throw new Error('The connection was given up');
    const sent = performance.now();
    const patience = Math.round(Math.max(0, this.patience ?? this.deadline - sent));
    const message = `The database did not answer within ${patience} ms`;
    const answer = withDeadline<Row[]>(this.queryRunner.query(sql, [...parameters]), patience, message);
    try {
      const rows = await answer;
      heard.set(this.connection, performance.now());
      return rows;
    } catch (error) {
      if ((error as Error).message === message) this.giveUp(sent);
      throw error;
    }
  };

  /** The task has begun: from now on each statement may take so many milliseconds. */
  begun(patience: number): void {
    this.patience = patience;
  }

  async release(): Promise<void> {
    this.terms.load.inUse--;
    if (this.broken) this.connection.destroy();
    await this.queryRunner.release();
  }

  private giveUp(sent: number): void {
    this.broken = true;
    fellSilent(this.terms.server, sent);
  }
}

function hasNoneLeft(error: unknown): boolean {
  return NONE_LEFT.has((error as { code?: string }).code ?? '');
}

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
async function connect(
  pool: DataSource | Promise<DataSource>,
  { server }: LeaseTerms,
  deadline: number,
): Promise<Connected> {
  for (;;) {
    const queryRunner = (await pool).createQueryRunner();
    try {
      const connection: Destroyable = await queryRunner.connect();
      if ((heard.get(connection) ?? Infinity) >= server.silentSince) return { queryRunner, connection };
      connection.destroy();
      await queryRunner.release();
    } catch (error) {
      if (!hasNoneLeft(error) || performance.now() + RETRY_MS >= deadline) throw error;
      await sleep(RETRY_MS);
    }
  }
}
