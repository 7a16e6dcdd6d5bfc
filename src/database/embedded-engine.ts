import Libsql from 'libsql';
import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DataSource, DataSourceOptions, QueryRunner } from 'typeorm';
import type { SqlPart, Engine, Snapshot, WriteSession } from './engine.js';
import { migrations } from './migrations/migrations.js';
import type { Query, Row, Statement } from './query.js';
import { yieldToEventLoop } from '../event-loop/yield-to-event-loop.js';

/** How long a statement waits for a lock, in milliseconds. The wait blocks the whole process. */
const BUSY_MS = 5000;
/** How long a command waits for another import, in milliseconds. */
const WRITE_BUSY_MS = 3_600_000;
const WRITE_RETRY_MS = 50;
/** Limits that SQLite is compiled with: parameters of a statement, and bytes of a text. */
const LIMITS = { parameters: 32_766, bytes: 1_000_000_000 };

/**
 * SQLite in a file. Lookups share the one connection of the driver. A transaction on that connection would mix the reads
 * and writes of several requests, so each snapshot and each writer opens its own connection.
 */
export class EmbeddedEngine implements Engine {
  readonly options: DataSourceOptions;
  readonly pools = [];
  readonly replicas = [];
  readonly listColumns = `SELECT tables.name AS tableName, columns.name AS columnName
    FROM sqlite_master AS tables JOIN pragma_table_info(tables.name) AS columns WHERE tables.type = 'table'`;

  constructor(private readonly path: string) {
    this.options = {
      type: 'better-sqlite3',
      driver: Libsql,
      database: path,
      // With a write-ahead log, readers see the last commit while another connection writes.
      enableWAL: true,
      timeout: BUSY_MS,
      migrations,
      migrationsTableName: 'migrations',
    };
  }

  async open(dataSource: DataSource): Promise<void> {
    await dataSource.initialize();
  }

  lookUp(dataSource: DataSource, { sql, parameters = [] }: Statement): Promise<Row[]> {
    return dataSource.query(sql, [...parameters]);
  }

  async watchReplicas(): Promise<void> {}

  async openSnapshot(): Promise<Snapshot> {
    const connection = new Libsql(this.path, { timeout: BUSY_MS });
    try {
      connection.exec('PRAGMA query_only = ON');
      connection.exec('BEGIN');
    } catch (error) {
      connection.close();
      throw error;
    }
    const query = queryOn(connection);
    const yieldingQuery: Query = async (sql, parameters) => {
      // A statement blocks the process. Yielding before each one lets other requests proceed.
      await yieldToEventLoop();
      return query(sql, parameters);
    };
    return {
      query: yieldingQuery,
      join: (table) => `CROSS JOIN ${table}`,
      isReplica: false,
      close: async () => rollBack(connection),
    };
  }

  write<T>(_dataSource: DataSource, work: (session: WriteSession) => Promise<T>): Promise<T> {
    return this.transaction(work, WRITE_BUSY_MS);
  }

  change<T>(_dataSource: DataSource, work: (session: WriteSession) => Promise<T>): Promise<T> {
    return this.transaction(work, BUSY_MS);
  }

  private async transaction<T>(work: (session: WriteSession) => Promise<T>, busyMs: number): Promise<T> {
    const connection = new Libsql(this.path, { timeout: 0 });
    try {
      connection.exec('PRAGMA foreign_keys = ON');
      await beginWriting(connection, busyMs);
      const query = queryOn(connection);
      const result = await work({
        query,
        prepared: query,
        firesTriggers: true,
        currentUser: 'NULL',
        limits: LIMITS,
        values,
        upsertClause,
        rowIn,
      });
      connection.exec('COMMIT');
      return result;
    } finally {
      rollBack(connection);
    }
  }

  async withMigrationLock<T>(dataSource: DataSource, work: (queryRunner: QueryRunner) => Promise<T>): Promise<T> {
    // A migration changes a table by replacing it. With foreign keys enabled, this would delete the rows that reference
    // the table.
    await dataSource.query('PRAGMA foreign_keys = OFF');
    await dataSource.query('BEGIN IMMEDIATE');
    try {
      const result = await work(dataSource.createQueryRunner());
      await dataSource.query('COMMIT');
      return result;
    } catch (error) {
      await dataSource.query('ROLLBACK').catch(() => undefined);
      throw error;
    } finally {
      await dataSource.query('PRAGMA foreign_keys = ON');
    }
  }

  /** Moves all commits from the write-ahead log into the file, so that a copy of the file alone is complete. */
  async close(): Promise<void> {
    if (!existsSync(this.path)) return;
    const connection = new Libsql(this.path, { timeout: BUSY_MS });
    try {
      connection.pragma('wal_checkpoint(TRUNCATE)');
    } finally {
      connection.close();
    }
  }
}

/**
 * Starts a transaction that takes the write lock at once, so that SQLite cannot refuse its first write later. While
 * another connection holds the lock, it retries: a wait within SQLite would block the whole process.
 */
async function beginWriting(connection: Libsql.Database, busyMs: number): Promise<void> {
  for (const started = performance.now(); ; await sleep(WRITE_RETRY_MS)) {
    try {
      return void connection.exec('BEGIN IMMEDIATE');
    } catch (error) {
      const { code } = error as { code?: string };
      if (!code?.startsWith('SQLITE_BUSY') || performance.now() - started > busyMs) throw error;
    }
  }
}

function upsertClause(keys: readonly string[], columns: readonly string[]): string {
  const assignments = columns.map((column) => `${column} = excluded.${column}`);
  return ` ON CONFLICT (${keys.join()}) DO UPDATE SET ${assignments.join()}`;
}

function values(rows: readonly (readonly unknown[])[]): SqlPart {
  return { sql: rows.map((row) => `(${row.map(() => '?').join()})`).join(), parameters: rows.flat() };
}

function rowIn(columns: readonly string[], rows: readonly (readonly unknown[])[]): SqlPart {
  const row = `(${columns.map(() => '?').join()})`;
  return { sql: `(${columns.join()}) IN (VALUES ${rows.map(() => row).join()})`, parameters: rows.flat() };
}

function queryOn(connection: Libsql.Database): Query {
  return async (sql, parameters = []) => {
    const statement = connection.prepare(sql);
    // The driver crashes on a boolean. If null is the only argument, the driver mistakes it for an object of named
    // parameters.
    const bound = parameters.map((value) => (typeof value === 'boolean' ? Number(value) : value));
    if (statement.reader) return statement.all(bound) as Row[];
    statement.run(bound);
    return [];
  };
}

/** Rolls back and closes. Without the rollback, the snapshot would stay open until garbage collection. */
function rollBack(connection: Libsql.Database): void {
  try {
    if (connection.inTransaction) connection.exec('ROLLBACK');
  } finally {
    connection.close();
  }
}
