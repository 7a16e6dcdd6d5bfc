import type { DataSource, DataSourceOptions, QueryRunner } from 'typeorm';
import type { Query } from './query.js';

/** One unchanging, read-only view of all tables; whoever opens it closes it. */
export interface Snapshot {
  readonly query: Query;
  /**
   * Joins a table to those before it, to be read in this order: a server that thought it better to begin elsewhere would
   * have to sort everything for each batch. @param index the index to find its rows by; none: its key
   */
  readonly join: (table: string, index?: string) => string;
  /** Whether it comes from a read replica, which may lack the latest commits of the server. */
  readonly isReplica: boolean;
  close(): Promise<void>;
}

/** A part of a statement, with its parameters. */
export interface SqlPart {
  sql: string;
  parameters: readonly unknown[];
}

/** A transaction that writes, and the SQL for it that differs between the databases. */
export interface WriteSession {
  readonly query: Query;
  /**
   * Runs a prepared statement, whose parameters are sent beside it rather than escaped into it: several times cheaper
   * for long texts, dearer for many short values.
   */
  readonly prepared: Query;
  /** Whether triggers see the rows that the session writes. On a server, an import does the triggers' work itself. */
  readonly firesTriggers: boolean;
  /** SQL of the account of the database that the session belongs to; null on the embedded database. */
  readonly currentUser: string;
  /** How much one statement may hold. */
  readonly limits: {
    parameters: number;
    bytes: number;
    /** How many bytes the whole transaction may have, where the server has such a limit. */
    transactionBytes?: number;
  };

  /** What follows `INSERT INTO … VALUES`. */
  values(rows: readonly (readonly unknown[])[]): SqlPart;

  /** What makes an INSERT overwrite the rows whose keys are there already. */
  upsertClause(keys: readonly string[], columns: readonly string[]): string;

  /** The condition that the values of some columns are those of one of the rows, which has as many. */
  rowIn(columns: readonly string[], rows: readonly (readonly unknown[])[]): SqlPart;
}

/** A pool of connections: how many are taken, and how many tasks wait for one. */
export interface PoolLoad {
  /** What the connections are for. */
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
  /** How long ago its content was last known to be the server's. */
  readonly lagSeconds: number;
}

/** All that differs between the embedded database and a server, except for column types (see migrations/dialect.ts). */
export interface Engine {
  /** Options of the data source that serves lookups, records of customers and keys, and migrations. */
  readonly options: DataSourceOptions;

  readonly pools: readonly Readonly<PoolLoad>[];

  /** None on the embedded database. */
  readonly replicas: readonly ReplicaState[];
  /** A statement that returns the `tableName` and `columnName` of each column from the catalog. */
  readonly listColumns: string;

  /** A statement that returns whether a migration `waits` for snapshots; none: migrations do not wait for them. */
  readonly migrationWaits?: string;

  /** Opens a data source with every connection set up. @throws if that fails; then it is closed again */
  open(dataSource: DataSource): Promise<void>;

  /** Runs one short statement of a lookup. @throws if it does not answer within the wait setting */
  lookUp: (dataSource: DataSource, sql: string, parameters: readonly unknown[]) => ReturnType<Query>;

  /**
   * Compares the read replicas with the server from the first call on. Resolves when each was checked once.
   * @param server queries the server
   */
  watchReplicas(server: Query): Promise<unknown>;

  /**
   * Opens a snapshot on a connection that nothing else uses.
   * @param from `server`: of the latest commit, not from a read replica
   * @throws if no connection is free within the wait setting
   */
  openSnapshot(from: 'any' | 'server'): Promise<Snapshot>;

  /** Runs `work` in one transaction on a connection of its own, after every other writer of this kind. */
  write<T>(dataSource: DataSource, work: (session: WriteSession) => Promise<T>): Promise<T>;

  /** Runs `work` in one short transaction, without waiting for imports. Triggers see what it writes. */
  change<T>(dataSource: DataSource, work: (session: WriteSession) => Promise<T>): Promise<T>;

  /**
   * Runs `work`, which migrates by the query runner, while nobody else imports or migrates.
   * @param tell told, for the operator, what else it waits for
   */
  withMigrationLock<T>(
    dataSource: DataSource,
    work: (queryRunner: QueryRunner) => Promise<T>,
    tell: (line: string) => void,
  ): Promise<T>;

  close(): Promise<void>;
}

/** Injection token of the {@link Engine} of the running process. */
export const ENGINE = Symbol('Engine');
