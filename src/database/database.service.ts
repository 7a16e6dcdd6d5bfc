import { Inject, Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import { setTimeout as sleep } from 'node:timers/promises';
import { DataSource, MigrationExecutor } from 'typeorm';
import { SETTINGS, type Settings } from '../config/settings.js';
import { withDeadline } from './deadline.js';
import type { Query } from './query.js';
import { inTransaction, underWriteLock } from './write-lock.js';

const RETRY_MS = 1000;

/**
 * The one database of the process. The service listens before its database is there: {@link start} connects in the
 * background and keeps trying, and until the schema is current {@link query} refuses.
 */
@Injectable()
export class DatabaseService implements OnModuleDestroy {
  private readonly logger = new Logger(DatabaseService.name);
  private readonly stopping = new AbortController();
  private usable = false;
  private pinging?: Promise<void>;

  constructor(
    private readonly dataSource: DataSource,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** Runs one short statement. @throws if the database is not usable (yet) or no connection is free in time. */
  readonly query: Query = async (sql, parameters = []) => {
    this.assertUsable();
    return this.inTime(this.dataSource.query(sql, [...parameters]));
  };

  /** @throws while the database has not been reached, or its schema is older than this code. */
  assertUsable(): void {
    if (!this.usable) throw new Error('The database is not ready: not reached yet, or its schema is not current');
  }

  /**
   * Resolves where the database answers, its schema is current and the service is not shutting down.
   * @throws otherwise, within the wait setting
   */
  async ping(): Promise<void> {
    if (this.stopping.signal.aborted) throw new Error('The service is shutting down');
    // One question at a time, however many ask: a database that hangs must not collect waiting probes.
    this.pinging ??= this.query('SELECT 1')
      .then(() => undefined)
      .finally(() => (this.pinging = undefined));
    return this.pinging;
  }

  /** Connects, and migrates where `migrate` says so; then the database is usable. @throws if anything is amiss. */
  async connect(migrate: boolean): Promise<void> {
    await this.reach();
    if (migrate) await this.migrate();
    const pending = await this.pendingMigrations();
    if (pending.length)
      throw new Error(`The database lacks ${pending.length} migration(s); run: npm run cli -- migrate`);
    this.usable = true;
  }

  /** Runs what migrations are pending, in one process at a time. @returns their names. */
  async migrate(): Promise<string[]> {
    await this.reach();
    if (!(await this.pendingMigrations()).length) return [];
    return underWriteLock(this.dataSource, async (queryRunner) => {
      const executor = new MigrationExecutor(this.dataSource, queryRunner);
      executor.transaction = 'none';
      // A SQLite table that others refer to is changed by replacing it, which must not take their rows along.
      await queryRunner.beforeMigration();
      try {
        const done = await inTransaction(queryRunner, () => executor.executePendingMigrations());
        return done.map(({ name }) => name);
      } finally {
        await queryRunner.afterMigration();
      }
    });
  }

  /** Keeps trying in the background until {@link connect} and then `prepare` succeed, or the process stops. */
  async start(prepare: () => Promise<void>): Promise<void> {
    let complaint: string | undefined;
    while (!this.stopping.signal.aborted) {
      try {
        await this.connect(this.settings.MIGRATE_ON_START);
        await prepare();
        this.logger.log('The database is ready');
        return;
      } catch (error) {
        this.usable = false;
        const { message } = error as Error;
        if (message !== complaint) this.logger.error(`The database is not ready, trying again: ${message}`);
        complaint = message;
        await sleep(RETRY_MS, undefined, { signal: this.stopping.signal, ref: false }).catch(() => undefined);
      }
    }
  }

  /** Runs `work` in one transaction that no other writer overlaps; readers see all of it at its end, or nothing. */
  async writing<T>(work: (query: Query) => Promise<T>): Promise<T> {
    this.assertUsable();
    return underWriteLock(this.dataSource, (queryRunner) =>
      inTransaction(queryRunner, () => work((sql, parameters = []) => queryRunner.query(sql, [...parameters]))),
    );
  }

  onModuleDestroy(): void {
    this.stopping.abort();
  }

  private async reach(): Promise<void> {
    if (this.dataSource.isInitialized) return;
    await this.dataSource.initialize().catch((error: NodeJS.ErrnoException) => {
      throw new Error(`The database of DATABASE_URL cannot be reached: ${error.message || error.code}`, {
        cause: error,
      });
    });
  }

  private async pendingMigrations(): Promise<string[]> {
    const done = await this.dataSource.query('SELECT name FROM migrations').catch(() => []);
    const names = new Set(done.map(({ name }: { name: string }) => name));
    return this.dataSource.migrations.map(({ name }) => name ?? '').filter((name) => !names.has(name));
  }

  private inTime<T>(work: Promise<T>): Promise<T> {
    const ms = this.settings.DATABASE_WAIT_MS;
    return withDeadline(work, ms, `The database did not answer within ${ms} ms`);
  }
}
