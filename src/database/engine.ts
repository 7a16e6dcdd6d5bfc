import type { DataSource, DataSourceOptions, QueryRunner } from 'typeorm';
import type { Query, Statement } from './query.js';

/** A read-only view of all tables at one moment. The caller that opens it must close it. */
export interface Snapshot {
  readonly query: Query;
  /**
   * Returns SQL that joins a table and fixes the order of the joins. With another order, a server would have to sort all
   * rows for each batch.
   * @param index the index to read the table by. Default: its primary key.
   */
  readonly join: (table: string, index?: string) => string;
  /** Whether the snapshot comes from a read replica, which may lack the latest commits of the server. */
  readonly isReplica: boolean;
  close(): Promise<void>;
}

/** Part of an SQL statement, with its parameters. */
export interface SqlPart {
  sql: string;
  parameters: readonly unknown[];
}

/** A write transaction, with the SQL that differs between the engines. */
export interface WriteSession {
  readonly query: Query;
  /**
   * Runs a prepared statement, which sends parameters separately instead of escaping them into the text. That is several
   * times cheaper for long texts, but more expensive for many short values.
   */
  readonly prepared: Query;
  /** Whether triggers run for the rows that the session writes. On a server, an import does the triggers' work itself. */
  readonly firesTriggers: boolean;
  /** An SQL expression for the database account of the session. It is NULL on the embedded database. */
  readonly currentUser: string;
  /** Upper bounds for one statement. */
  readonly limits: {
    parameters: number;
    bytes: number;
    /** Maximum bytes of the whole transaction, if the server has such a limit. */
    transactionBytes?: number;
  };

  /** Returns the rows after `INSERT INTO … VALUES`. */
  values(rows: readonly (readonly unknown[])[]): SqlPart;

  /** Returns the end of an INSERT that overwrites rows whose keys exist. */
  upsertClause(keys: readonly string[], columns: readonly string[]): string;

  /** Returns the condition that the columns equal one of the rows. Each row has one value for each column. */
  rowIn(columns: readonly string[], rows: readonly (readonly unknown[])[]): SqlPart;
}

/** The load of a connection pool: connections in use, and tasks that wait for one. */
export interface PoolLoad {
  /** The purpose of the connections, for messages and metrics. */
  readonly name: string;
  readonly size: number;
  inUse: number;
  waiting: number;
}

/** A read replica of the server. */
export interface ReplicaState {
  readonly name: string;
  /** Whether snapshots come from it. */
  readonly isReady: boolean;
  /** Seconds since a check last found the content of the replica equal to the server's. */
  readonly lagSeconds: number;
}

/** Everything that differs between the embedded database and a server, except column types (migrations/dialect.ts). */
export interface Engine {
  /** Options of the data source that serves lookups, records of customers and keys, and migrations. */
  readonly options: DataSourceOptions;

  readonly pools: readonly Readonly<PoolLoad>[];

  /** The read replicas. The embedded database has none. */
  readonly replicas: readonly ReplicaState[];
  /** A statement that returns the `tableName` and `columnName` of each column in the database. */
  readonly listColumns: string;

  /** A statement that returns whether a migration `waits` for snapshots. Undefined if migrations do not wait for them. */
  readonly migrationWaits?: string;

  /** Opens a data source and sets up its connections. @throws if that fails, after closing the data source */
  open(dataSource: DataSource): Promise<void>;

  /** Runs one short statement. @throws if the database does not respond within the wait setting */
  lookUp: (dataSource: DataSource, statement: Statement) => ReturnType<Query>;

  /**
   * Starts comparing the read replicas with the server. Only the first call has this effect. Resolves after the first
   * check of each replica.
   * @param server queries the server
   */
  watchReplicas(server: Query): Promise<unknown>;

  /**
   * Opens a snapshot on a connection that nothing else uses.
   * @param from `server` for the latest commit; `any` to allow a read replica
   * @throws if no connection is free within the wait setting
   */
  openSnapshot(from: 'any' | 'server'): Promise<Snapshot>;

  /** Runs `work` in one transaction on its own connection, one import at a time. */
  write<T>(dataSource: DataSource, work: (session: WriteSession) => Promise<T>): Promise<T>;

  /** Runs `work` in one short transaction, without waiting for imports. Triggers run for its rows. */
  change<T>(dataSource: DataSource, work: (session: WriteSession) => Promise<T>): Promise<T>;

  /**
   * Runs `work` while no other process imports or migrates. `work` migrates through the query runner.
   * @param report receives a line for the operator if the migration also waits for snapshots
   */
  withMigrationLock<T>(
    dataSource: DataSource,
    work: (queryRunner: QueryRunner) => Promise<T>,
    report: (line: string) => void,
  ): Promise<T>;

  close(): Promise<void>;
}

/** Injection token of the {@link Engine} of the running process. */
export const ENGINE = Symbol('Engine');
