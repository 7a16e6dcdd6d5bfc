import mysql2 from 'mysql2';
import { DataSource, type DataSourceOptions, type QueryRunner } from 'typeorm';
import type { Settings } from '../config/settings.js';
import { TCP_KEEP_ALIVE_MS } from '../config/tcp-keep-alive.js';
import type { Engine, PoolLoad, Snapshot, WriteSession } from './engine.js';
import { encryption } from './encryption.js';
import { explainEncryption } from './encryption-errors.js';
import { excludeOtherNodes } from './galera.js';
import { assertSinglePrimary, TransactionSize, transactionLimit } from './group-replication.js';
import { Lease, type LeaseTerms } from './lease.js';
import { migrations } from './migrations/migrations.js';
import { checkPrivileges, MIGRATING } from './migrations/privilege-check.js';
import { inShortAttempts } from './migrations/short-attempts.js';
import type { Query, Row, Statement } from './query.js';
import { ReadReplica } from './read-replica.js';
import { ReadReplicas } from './read-replicas.js';
import { explainRefusal, isConflict, READING, WRITING } from './refused-statement.js';
import { ServerPool } from './server-pool.js';
import { SESSION } from './server-session.js';
import { LIST_COLUMNS, rowIn, straightJoin, upsertClause, values } from './server-sql.js';
import { assertHoldsLock, MIGRATION_WAITS, withWritersLock } from './writers-lock.js';

/** How often a short transaction runs if another one changes the same rows. */
const ATTEMPTS = 3;

/** The part of a mysql2 pool that sets up its connections. Statements on a connection run in the order of the calls. */
interface SessionPool {
  on(event: 'connection', listener: (connection: { query(sql: string, done: () => void): void }) => void): void;
}

/** The part of a mysql2 connection that runs prepared statements, which TypeORM does not support. */
interface PreparedStatements {
  promise(): { execute(sql: string, parameters?: readonly unknown[]): Promise<[Row[], unknown]> };
}

/**
 * MySQL or MariaDB. Snapshots have their own pool, so that downloads cannot delay lookups and probes. If a statement times
 * out, its connection is destroyed, because the next statement on it would have to wait for the first one.
 */
export class ServerEngine implements Engine {
  readonly options: DataSourceOptions;
  readonly pools: Engine['pools'];
  readonly listColumns = LIST_COLUMNS;
  readonly migrationWaits = MIGRATION_WAITS;
  private readonly lookups: LeaseTerms;
  private readonly downloads: ServerPool;
  private readonly readReplicas: ReadReplicas;

  constructor(private readonly settings: Settings) {
    const { DATABASE_WAIT_MS: wait, DATABASE_URL } = settings;
    const lookups = newLoad('lookup', settings.DATABASE_POOL_SIZE);
    const downloads = newLoad('download', settings.DOWNLOAD_POOL_SIZE);
    this.pools = [lookups, downloads];
    this.lookups = { wait, load: lookups, server: { silentSince: 0 } };
    this.downloads = this.downloadPool(DATABASE_URL, { ...this.lookups, load: downloads });
    this.readReplicas = this.replicasOf({ wait, load: downloads });
    this.options = {
      type: 'mysql',
      // Otherwise TypeORM loads mysql2 from node_modules. The image has no code there.
      driver: mysql2,
      url: settings.DATABASE_URL,
      charset: 'utf8mb4',
      // Timestamps are stored in UTC. Days are returned as text.
      timezone: 'Z',
      dateStrings: ['DATE'],
      poolSize: settings.DATABASE_POOL_SIZE,
      connectTimeout: settings.DATABASE_WAIT_MS,
      extra: { keepAliveInitialDelay: TCP_KEEP_ALIVE_MS, ...encryption(settings) },
      // mysql2 would capture a stack trace for every statement. TypeORM adds one to errors.
      trace: false,
      migrations,
      migrationsTableName: 'migrations',
    };
  }

  async open(dataSource: DataSource): Promise<void> {
    await dataSource.initialize().catch((error: Error) => {
      throw explainEncryption(error);
    });
    const { pool } = dataSource.driver as unknown as { pool: SessionPool };
    pool.on('connection', (connection) => SESSION.forEach((sql) => connection.query(sql, () => undefined)));
    // The pool opened its first connection before the listener existed.
    try {
      for (const sql of SESSION) await dataSource.query(sql);
    } catch (error) {
      await dataSource.destroy();
      throw error;
    }
  }

  async lookUp(dataSource: DataSource, statement: Statement): Promise<Row[]> {
    const run = async (one: Statement) => {
      const { lease, rows } = await Lease.begin(dataSource, this.lookups, one);
      lease.release();
      return rows;
    };
    try {
      return await run(statement);
    } catch (error) {
      throw await explainRefusal(error, (sql, parameters) => run({ sql, parameters }), READING);
    }
  }

  get replicas(): Engine['replicas'] {
    return this.readReplicas.all;
  }

  watchReplicas(server: Query): Promise<unknown> {
    return this.readReplicas.watch(server);
  }

  /** Opens the snapshot on the next ready read replica. If there is none, opens it on the server. */
  async openSnapshot(from: 'any' | 'server'): Promise<Snapshot> {
    for (const replica of from === 'any' ? this.readReplicas.inTurn() : [])
      try {
        return await this.snapshotFrom(replica.pool, true);
      } catch (error) {
        replica.markLost(error as Error);
      }
    return this.snapshotFrom(this.downloads, false);
  }

  private async snapshotFrom(pool: ServerPool, isReplica: boolean): Promise<Snapshot> {
    const lease = await pool.begin('START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY');
    lease.setStatementTimeout(this.settings.DOWNLOAD_STALL_SECONDS * 1000);
    const close = async () => {
      await lease.query('ROLLBACK').catch(() => undefined);
      lease.release();
    };
    return { query: lease.query, join: straightJoin, isReplica, close };
  }

  async write<T>(dataSource: DataSource, work: (session: WriteSession) => Promise<T>): Promise<T> {
    return withWritersLock(dataSource, WRITING, async (queryRunner) => {
      // Triggers ignore the rows of this session. An import does their work in batches (import/content-changes.ts).
      await queryRunner.query('SET @customer_data_import = 1');
      try {
        const checked = async (session: WriteSession) => {
          // A proxy that changes connections between transactions does not change them within one.
          await assertHoldsLock(session.query);
          await excludeOtherNodes(session.query);
          return work(session);
        };
        return await transaction(queryRunner, checked, false);
      } finally {
        await queryRunner.query('SET @customer_data_import = NULL').catch(() => undefined);
      }
    });
  }

  async change<T>(dataSource: DataSource, work: (session: WriteSession) => Promise<T>): Promise<T> {
    const queryRunner = dataSource.createQueryRunner();
    try {
      return await repeated(() => transaction(queryRunner, work, true));
    } catch (error) {
      throw await explainRefusal(error, (sql) => queryRunner.query(sql), WRITING);
    } finally {
      await queryRunner.release();
    }
  }

  withMigrationLock<T>(
    dataSource: DataSource,
    work: (queryRunner: QueryRunner) => Promise<T>,
    report: (line: string) => void,
  ): Promise<T> {
    const checked = async (queryRunner: QueryRunner) => {
      await assertSinglePrimary((sql) => queryRunner.query(sql));
      await checkPrivileges(queryRunner);
      return work(queryRunner);
    };
    return withWritersLock(dataSource, MIGRATING, (queryRunner) => inShortAttempts(queryRunner, checked, report));
  }

  async close(): Promise<void> {
    await Promise.all([this.readReplicas, this.downloads].map((pool) => pool.close()));
  }

  private replicasOf(terms: Omit<LeaseTerms, 'server'>): ReadReplicas {
    const { DATABASE_REPLICA_URLS: urls, DATABASE_REPLICA_LAG_SECONDS: maxLagSeconds } = this.settings;
    const replicas = urls.map((url) => {
      // One more connection, for the checks.
      const pool = this.downloadPool(url, { ...terms, server: { silentSince: 0 } }, terms.load.size + 1);
      return new ReadReplica(new URL(url).host, pool, maxLagSeconds);
    });
    return new ReadReplicas(replicas, maxLagSeconds);
  }

  private downloadPool(url: string, terms: LeaseTerms, poolSize = terms.load.size): ServerPool {
    const open = async () => {
      const options = { ...this.options, url, poolSize } as DataSourceOptions;
      const pool = new DataSource(options);
      await this.open(pool);
      return pool;
    };
    return new ServerPool(open, terms);
  }
}

async function transaction<T>(
  queryRunner: QueryRunner,
  work: (session: WriteSession) => Promise<T>,
  firesTriggers: boolean,
): Promise<T> {
  const query: Query = (sql, parameters = []) => queryRunner.query(sql, [...parameters]);
  const connection: PreparedStatements = await queryRunner.connect();
  const prepared: Query = async (sql, parameters) => (await connection.promise().execute(sql, parameters))[0];
  const [row] = await query('SELECT @@max_allowed_packet AS bytes');
  // The parameters are part of the text of the statement, so only its length is limited.
  const limits = { parameters: Infinity, bytes: Number(row?.bytes) };
  await assertSinglePrimary(query);
  const transactionBytes = await transactionLimit(query);
  const size = transactionBytes === undefined ? undefined : new TransactionSize(transactionBytes);
  // Each statement must see all earlier commits of other sessions: documents and versions must not use older rows.
  await query('SET TRANSACTION ISOLATION LEVEL READ COMMITTED');
  await query('START TRANSACTION');
  try {
    const sql = { firesTriggers, currentUser: 'CURRENT_USER()', values, upsertClause, rowIn };
    const counting = (plain: Query) => size?.counting(plain) ?? plain;
    const result = await work({
      ...sql,
      query: counting(query),
      prepared: counting(prepared),
      limits: { ...limits, transactionBytes },
    });
    await query('COMMIT');
    return result;
  } catch (error) {
    await query('ROLLBACK').catch(() => undefined);
    throw size?.explain(error) ?? error;
  }
}

/** Runs a short transaction again if the server rolled it back in favour of another one: an import, or another node. */
async function repeated<T>(run: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++)
    try {
      return await run();
    } catch (error) {
      if (!isConflict(error) || attempt === ATTEMPTS) throw error;
    }
}

function newLoad(name: string, size: number): PoolLoad {
  return { name, size, inUse: 0, waiting: 0 };
}
