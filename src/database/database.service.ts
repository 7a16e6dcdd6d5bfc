import { Inject, Injectable, Logger, type OnApplicationShutdown, type OnModuleDestroy } from '@nestjs/common';
import { setTimeout as sleep } from 'node:timers/promises';
import { DataSource, MigrationExecutor, type QueryRunner } from 'typeorm';
import { SETTINGS, type Settings } from '../config/settings.js';
import { oneAtATime, withDeadline } from './deadline.js';
import { ENGINE, type Engine, type Snapshot, type WriteSession } from './engine.js';
import { pendingMigrations } from './migrations/pending-migrations.js';
import type { Query } from './query.js';
import { assertSchemaComplete, assertTables } from './required-schema.js';

const RETRY_MS = 1000;

/**
 * The database of the process. The service listens before the database is available. {@link start} connects in the
 * background and retries. Until the schema is current, all methods that read or write data throw.
 */
@Injectable()
export class DatabaseService implements OnModuleDestroy, OnApplicationShutdown {
  private readonly logger = new Logger(DatabaseService.name);
  private readonly stopping = new AbortController();
  private usable = false;
  /** Why the database is not usable. */
  private lastError = 'there is no connection yet';
  /** Each ping checks it, because a restore can remove tables or bring back an older schema. */
  private readonly checkSchema = oneAtATime(() => assertSchemaComplete(this.query, this.engine.listColumns));

  constructor(
    private readonly dataSource: DataSource,
    @Inject(ENGINE) private readonly engine: Engine,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** The connection pools. The embedded database has none. */
  get pools(): Engine['pools'] {
    return this.engine.pools;
  }

  /** The read replicas. The embedded database has none. */
  get replicas(): Engine['replicas'] {
    return this.engine.replicas;
  }

  /** Runs one short statement. @throws if the database is not usable or does not respond within the wait setting */
  readonly query: Query = async (sql, parameters) => {
    this.assertUsable();
    return this.lookUp(sql, parameters);
  };

  /**
   * Runs one short statement like {@link query}, but a server parses it only once per connection. With many joins, that
   * halves its work. Use it only for a statement whose text never changes, because the server keeps it. A proxy may
   * confuse prepared statements, so check a column of the rows against the parameters. No other prepared statement may
   * return a column of the same name.
   */
  readonly prepared: Query = async (sql, parameters) => {
    this.assertUsable();
    return this.engine.lookUp(this.dataSource, { sql, parameters, isPrepared: true });
  };

  private readonly lookUp: Query = (sql, parameters) => this.engine.lookUp(this.dataSource, { sql, parameters });

  /** Opens a snapshot. The caller must close it. @throws like {@link query} */
  async snapshot(): Promise<Snapshot> {
    this.assertUsable();
    // Waits for the first check only. Before it no replica is ready, and every snapshot would come from the server.
    await this.engine.watchReplicas(this.query);
    return this.engine.openSnapshot('any');
  }

  /** Opens a snapshot of the latest commit. The caller must close it. @throws like {@link query} */
  async snapshotOfServer(): Promise<Snapshot> {
    this.assertUsable();
    return this.engine.openSnapshot('server');
  }

  /** Whether a migration is waiting for snapshots to end. @throws like {@link query} */
  async isMigrationWaiting(): Promise<boolean> {
    const { migrationWaits } = this.engine;
    if (!migrationWaits) return false;
    const [row] = await this.query(migrationWaits);
    return Number(row!.waits) === 1;
  }

  /** Runs `work` in one transaction, one import at a time. Other sessions see all of its changes or none. */
  async write<T>(work: (session: WriteSession) => Promise<T>): Promise<T> {
    this.assertUsable();
    return this.engine.write(this.dataSource, work);
  }

  /** Runs `work` in one short transaction that does not wait for imports. Other sessions see all of its changes or none. */
  async change<T>(work: (session: WriteSession) => Promise<T>): Promise<T> {
    this.assertUsable();
    return this.engine.change(this.dataSource, work);
  }

  /**
   * Resolves if the database responds and its schema is complete.
   * @throws otherwise, within the wait setting
   */
  async ping(): Promise<void> {
    const { DATABASE_WAIT_MS: wait } = this.settings;
    await withDeadline(this.checkSchema(), wait, `The database did not respond within ${wait} ms`);
  }

  /** Connects, runs pending migrations if `migrate` is true, and makes the database usable. @throws if a step fails */
  async connect(migrate: boolean): Promise<void> {
    await this.ensureConnected();
    if (migrate) await this.migrate();
    await assertSchemaComplete(this.lookUp, this.engine.listColumns);
    this.usable = true;
  }

  /**
   * Runs the pending migrations, in one process at a time.
   * @param report receives a line for the operator when the migration has to wait
   * @param repeat runs all migrations again, to add columns, indexes and triggers that restored tables lack
   * @returns the names of the migrations that ran
   * @throws if `repeat` is true and a table is missing. Migrations would create it empty, and the service would serve it.
   */
  async migrate(report = (line: string): void => this.logger.warn(line), repeat = false): Promise<string[]> {
    await this.ensureConnected();
    if (repeat) await assertTables(this.lookUp, this.engine.listColumns);
    else if (!(await pendingMigrations(this.lookUp)).length) return [];
    const work = async (queryRunner: QueryRunner) => {
      // If the process stops after this statement, the next `migrate` runs all migrations.
      if (repeat) await queryRunner.query('DELETE FROM migrations');
      const executor = new MigrationExecutor(this.dataSource, queryRunner);
      executor.transaction = 'none';
      return (await executor.executePendingMigrations()).map(({ name }) => name);
    };
    return this.engine.withMigrationLock(this.dataSource, work, report);
  }

  /** Retries {@link connect} until it succeeds or the process stops. @returns whether it succeeded */
  async start(): Promise<boolean> {
    while (!this.stopping.signal.aborted) {
      try {
        await this.connect(this.settings.MIGRATE_ON_START);
        this.logger.log('The database is ready');
        void this.engine.watchReplicas(this.query);
        return true;
      } catch (error) {
        const { message } = error as Error;
        if (message !== this.lastError) this.logger.error(`The database is not ready, trying again: ${message}`);
        this.lastError = message;
        await sleep(RETRY_MS, undefined, { signal: this.stopping.signal, ref: false }).catch(() => undefined);
      }
    }
    return false;
  }

  onModuleDestroy(): void {
    this.stopping.abort();
  }

  /** Waits no longer than the wait setting for an unresponsive server. Its connections end with the process. */
  async onApplicationShutdown(): Promise<void> {
    const { DATABASE_WAIT_MS: wait } = this.settings;
    const message = `The database did not close its connections within ${wait} ms`;
    await withDeadline(this.engine.close(), wait, message).catch((error: Error) => this.logger.warn(error.message));
  }

  private assertUsable(): void {
    if (!this.usable) throw new Error(`The database is not ready: ${this.lastError}`);
  }

  private async ensureConnected(): Promise<void> {
    if (this.dataSource.isInitialized) return;
    try {
      const { DATABASE_WAIT_MS: wait } = this.settings;
      // Without a deadline, a server that does not respond would prevent every further attempt.
      await withDeadline(this.engine.open(this.dataSource), wait, `it did not respond within ${wait} ms`);
    } catch (error) {
      const { message, code } = error as NodeJS.ErrnoException;
      throw new Error(`The database of DATABASE_URL cannot be reached: ${message || code}`, { cause: error });
    }
  }
}
