import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import Libsql from 'libsql';
import { DataSource } from 'typeorm';
import { SETTINGS, type Settings } from '../config/settings.js';
import { DatabaseService } from './database.service.js';
import { databaseOptions, SQLITE_BUSY_MS, sqlitePath } from './database-url.js';
import { withDeadline } from './deadline.js';
import type { Query, Row } from './query.js';

/** One unchanging, read-only view of all tables; whoever opens it closes it. */
export interface Snapshot {
  readonly query: Query;
  close(): Promise<void>;
}

/**
 * Opens snapshots, each on a connection that nothing else uses meanwhile. On a server they come from a pool of their
 * own, so that answers under way cannot keep a look-up or a probe waiting.
 */
@Injectable()
export class SnapshotService implements OnApplicationShutdown {
  private pool?: Promise<DataSource>;

  constructor(
    private readonly database: DatabaseService,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** @throws if the database is not usable, or no connection is free within the wait setting. */
  async open(): Promise<Snapshot> {
    this.database.assertUsable();
    const path = sqlitePath(this.settings.DATABASE_URL);
    return path ? openEmbedded(path) : this.openOnServer();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.pool?.then((pool) => pool.destroy()).catch(() => undefined);
  }

  private async openOnServer(): Promise<Snapshot> {
    const { DATABASE_WAIT_MS: ms, DOWNLOAD_POOL_SIZE: size } = this.settings;
    const queryRunner = (await this.connectPool()).createQueryRunner();
    await withDeadline(
      queryRunner.connect(),
      ms,
      `None of the ${size} download connections came free within ${ms} ms`,
      () => queryRunner.release(),
    );
    const query: Query = (sql, parameters = []) => queryRunner.query(sql, [...parameters]);
    const close = async () => {
      await query('ROLLBACK').catch(() => undefined);
      await queryRunner.release();
    };
    try {
      await query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ');
      await query('START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY');
    } catch (error) {
      await close();
      throw error;
    }
    return { query, close };
  }

  private connectPool(): Promise<DataSource> {
    const options = databaseOptions({ ...this.settings, DATABASE_POOL_SIZE: this.settings.DOWNLOAD_POOL_SIZE });
    this.pool ??= new DataSource(options).initialize().catch((error) => {
      this.pool = undefined;
      throw error;
    });
    return this.pool;
  }
}

/** A connection of its own: a transaction on a shared one would mix the reads of several answers. */
function openEmbedded(path: string): Snapshot {
  const connection = new Libsql(path, { timeout: SQLITE_BUSY_MS });
  connection.exec('PRAGMA query_only = ON');
  connection.exec('BEGIN');
  return {
    query: async (sql, parameters = []) => connection.prepare(sql).all(...parameters) as Row[],
    // Closing alone would leave the snapshot, and with it the log file, growing until statements are collected.
    close: async () => {
      connection.exec('ROLLBACK');
      connection.close();
    },
  };
}
