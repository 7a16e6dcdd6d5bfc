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
 * The one database of the process. The service listens before its database is there: {@link start} connects in the
 * background and keeps trying, and until the schema is current everything else refuses.
 */
@Injectable()
export class DatabaseService implements OnModuleDestroy, OnApplicationShutdown {
  private readonly logger = new Logger(DatabaseService.name);
  private readonly stopping = new AbortController();
  private usable = false;
  /** Why it is not. */
  private lastError = 'it was not reached yet';
  /** A restore may have removed tables since the start, or have brought an older schema. */
  private readonly askForSchema = oneAtATime(() => assertSchemaComplete(this.query, this.engine.listColumns));

  constructor(
    private readonly dataSource: DataSource,
    @Inject(ENGINE) private readonly engine: Engine,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** The pools of connections; none on the embedded database. */
  get pools(): Engine['pools'] {
    return this.engine.pools;
  }

  /** The read replicas; none on the embedded database. */
  get replicas(): Engine['replicas'] {
    return this.engine.replicas;
  }

  /** Runs one short statement. @throws if the database is not usable (yet) or does not answer within the wait setting */
  readonly query: Query = async (sql, parameters = []) => {
    this.assertUsable();
    return this.lookUp(sql, parameters);
  };

  private readonly lookUp: Query = (sql, parameters = []) => this.engine.lookUp(this.dataSource, sql, parameters);

  /** Opens a snapshot, which the caller closes. @throws like {@link query} */
  async snapshot(): Promise<Snapshot> {
    this.assertUsable();
    // Waits for the first check only. No replica is ready before it, so every snapshot would come from the server.
    await this.engine.watchReplicas(this.query);
    return this.engine.openSnapshot('any');
  }

  /** Opens a snapshot of the latest commit, which the caller closes. @throws like {@link query} */
  async snapshotOfServer(): Promise<Snapshot> {
    this.assertUsable();
    return this.engine.openSnapshot('server');
  }

  /** Whether a migration waits for snapshots to end. @throws like {@link query} */
  async isMigrationWaiting(): Promise<boolean> {
    const { migrationWaits } = this.engine;
    if (!migrationWaits) return false;
    const [row] = await this.query(migrationWaits);
    return Number(row!.waits) === 1;
  }

  /** Runs `work` in one transaction that no other import overlaps; readers see all of it at its end, or nothing. */
  async write<T>(work: (session: WriteSession) => Promise<T>): Promise<T> {
    this.assertUsable();
    return this.engine.write(this.dataSource, work);
  }

  /** Runs `work` in one short transaction that does not wait for imports; other readers see all of it, or nothing. */
  async change<T>(work: (session: WriteSession) => Promise<T>): Promise<T> {
    this.assertUsable();
    return this.engine.change(this.dataSource, work);
  }

  /**
   * Resolves if the database answers, its schema is complete.
   * @throws otherwise, within the wait setting
   */
  async ping(): Promise<void> {
    const { DATABASE_WAIT_MS: wait } = this.settings;
    await withDeadline(this.askForSchema(), wait, `The database did not answer within ${wait} ms`);
  }

  /** Connects, and migrates where `migrate` says so; then the database is usable. @throws if that fails. */
  async connect(migrate: boolean): Promise<void> {
    await this.reach();
    if (migrate) await this.migrate();
    await assertSchemaComplete(this.lookUp, this.engine.listColumns);
    this.usable = true;
  }

  /**
   * Runs the pending migrations, in one process at a time.
   * @param tell told what it waits for
   * @param repeat runs all migrations again, which adds what a restored table lacks
   * @returns the names of the migrations that ran
   * @throws if it is to repeat them, and a table is missing: the service would serve the empty table that they create
   */
  async migrate(tell = (line: string): void => this.logger.warn(line), repeat = false): Promise<string[]> {
    await this.reach();
    if (repeat) await assertTables(this.lookUp, this.engine.listColumns);
    else if (!(await pendingMigrations(this.lookUp)).length) return [];
    const work = async (queryRunner: QueryRunner) => {
      // If this stops half-way, the next run of the command completes it.
      if (repeat) await queryRunner.query('DELETE FROM migrations');
      const executor = new MigrationExecutor(this.dataSource, queryRunner);
      executor.transaction = 'none';
      return (await executor.executePendingMigrations()).map(({ name }) => name);
    };
    return this.engine.withMigrationLock(this.dataSource, work, tell);
  }

  /** Keeps trying in the background until {@link connect} succeeds, or the process stops. @returns whether it did */
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

  /** A server that does not respond must not keep the process from ending: its connections end with the process. */
  async onApplicationShutdown(): Promise<void> {
    const { DATABASE_WAIT_MS: wait } = this.settings;
    const message = `The database did not close its connections within ${wait} ms`;
    await withDeadline(this.engine.close(), wait, message).catch((error: Error) => this.logger.warn(error.message));
  }

  private assertUsable(): void {
    if (!this.usable) throw new Error(`The database is not ready: ${this.lastError}`);
  }

  private async reach(): Promise<void> {
    if (this.dataSource.isInitialized) return;
    try {
      const { DATABASE_WAIT_MS: wait } = this.settings;
      // An attempt that nobody answers must not be the last one.
      await withDeadline(this.engine.open(this.dataSource), wait, `it did not answer within ${wait} ms`);
    } catch (error) {
      const { message, code } = error as NodeJS.ErrnoException;
      throw new Error(`The database of DATABASE_URL cannot be reached: ${message || code}`, { cause: error });
    }
  }
}
