import { readFileSync } from 'node:fs';
import { DataSource, type DataSourceOptions, type QueryRunner, type ReplicationMode } from 'typeorm';
import type { Settings } from '../config/settings.js';
import { withDeadline } from './deadline.js';
import type { SqlPart, Engine, Snapshot, WriteSession } from './engine.js';
import { migrations } from './migrations/migrations.js';
import type { Query, Row } from './query.js';

/** How long a command waits for another's import or migration, in seconds. */
const LOCK_SECONDS = 3600;
/** A lock's name holds for the whole server and has at most 64 characters. */
const LOCK_NAME = `CONCAT('customer-data:', LEFT(SHA2(DATABASE(), 256), 40))`;

/**
 * What a session of ours must not inherit from the server: without backslash escapes the parameters that mysql2 escapes
 * could leave their quotes, a row limit would shorten answers, without strictness values would be cut, without
 * autocommit what a command writes would be lost, without foreign keys rows would outlive what they hang on, and on
 * another isolation level readers could see half of an import.
 */
const SESSION = [
  `SET SESSION sql_mode = 'STRICT_ALL_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,NO_ENGINE_SUBSTITUTION',
  SESSION sql_select_limit = 18446744073709551615, SESSION autocommit = 1, SESSION foreign_key_checks = 1`,
  'SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ',
];

/** What of mysql2's pool is needed to set up each of its connections; statements on one run in their order. */
interface SessionPool {
  on(event: 'connection', listener: (connection: { query(sql: string, done: () => void): void }) => void): void;
}

/** What of a pooled connection of mysql2 is needed to give up on it. */
interface Destroyable {
  destroy(): void;
}

/** What of a pooled connection of mysql2 is needed for prepared statements, which TypeORM does not know. */
interface Preparing {
  promise(): { execute(sql: string, parameters?: readonly unknown[]): Promise<[Row[], unknown]> };
}

/**
 * MySQL or MariaDB. Snapshots come from a pool of their own, so that answers under way cannot keep a look-up or a probe
 * waiting. A statement that does not answer in time takes its connection along: the next one would wait behind it.
 */
export class ServerEngine implements Engine {
  readonly options: DataSourceOptions;
  private snapshots?: Promise<DataSource>;

  constructor(private readonly settings: Settings) {
    this.options = {
      type: 'mysql',
      url: settings.DATABASE_URL,
      charset: 'utf8mb4',
      // Timestamps are stored in UTC, and days come back as the text that is stored.
      timezone: 'Z',
      dateStrings: ['DATE'],
      poolSize: settings.DATABASE_POOL_SIZE,
      connectTimeout: settings.DATABASE_WAIT_MS,
      ssl: encryption(settings),
      migrations,
      migrationsTableName: 'migrations',
    };
  }

  async open(dataSource: DataSource): Promise<void> {
    await dataSource.initialize();
    // A cluster of pools, as replicas have, is none: see Lease.prepare.
    const { pool } = dataSource.driver as unknown as { pool?: SessionPool };
    pool?.on('connection', (connection) => SESSION.forEach((sql) => connection.query(sql, () => undefined)));
    // The connection that opened the pool came before the listener.
    try {
      for (const sql of SESSION) await dataSource.query(sql);
    } catch (error) {
      await dataSource.destroy();
      throw error;
    }
  }

  async lookUp(dataSource: DataSource, sql: string, parameters: readonly unknown[]): Promise<Row[]> {
    const { DATABASE_WAIT_MS: wait, DATABASE_POOL_SIZE: size } = this.settings;
    const lease = await Lease.of(dataSource, `None of the ${size} look-up connections`, wait, wait);
    try {
      return await lease.query(sql, parameters);
    } finally {
      await lease.release();
    }
  }

  async openSnapshot(): Promise<Snapshot> {
    const lease = await this.snapshotLease();
    try {
      await lease.query('START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY');
    } catch (error) {
      await lease.release();
      throw error;
    }
    const close = async () => {
      await lease.query('ROLLBACK').catch(() => undefined);
      await lease.release();
    };
    return { query: lease.query, join: straightJoin, close };
  }

  /** A connection to a read replica, where there are any; to the server itself where none of them answers. */
  private async snapshotLease(): Promise<Lease> {
    const pool = await this.snapshotPool();
    const { DATABASE_REPLICA_URLS: replicas } = this.settings;
    if (!replicas.length) return this.leaseFrom(pool, 'master');
    return this.leaseFrom(pool, 'slave').catch(() => this.leaseFrom(pool, 'master'));
  }

  private async leaseFrom(pool: DataSource, mode: ReplicationMode): Promise<Lease> {
    const { DATABASE_WAIT_MS: wait, DOWNLOAD_POOL_SIZE: size, DOWNLOAD_STALL_SECONDS: stall } = this.settings;
    const lease = await Lease.of(pool, `None of the ${size} download connections`, wait, stall * 1000, mode);
    await lease.prepare();
    return lease;
  }

  async write<T>(dataSource: DataSource, work: (session: WriteSession) => Promise<T>): Promise<T> {
    return underLock(dataSource, async (query, connection) => {
      const prepared: Query = async (sql, parameters) => (await connection.promise().execute(sql, parameters))[0];
      const [row] = await query('SELECT @@max_allowed_packet AS bytes');
      // The parameters are part of the text, so that their number is bounded by its length alone.
      const limits = { parameters: Infinity, bytes: Number(row?.bytes) };
      // Triggers leave the rows of this session alone: an import does their work by the batch (import/content-changes.ts).
      await query('SET @customer_data_import = 1');
      // Each statement sees what others committed before it, so that what is derived from rows is not of older ones.
      await query('SET TRANSACTION ISOLATION LEVEL READ COMMITTED');
      await query('START TRANSACTION');
      try {
        const result = await work({ query, prepared, limits, values, upsertClause, rowIn });
        await query('COMMIT');
        return result;
      } catch (error) {
        await query('ROLLBACK').catch(() => undefined);
        throw error;
      } finally {
        await query('SET @customer_data_import = NULL').catch(() => undefined);
      }
    });
  }

  alone<T>(dataSource: DataSource, work: () => Promise<T>): Promise<T> {
    return underLock(dataSource, work);
  }

  async close(): Promise<void> {
    await this.snapshots?.then((pool) => pool.destroy()).catch(() => undefined);
  }

  private async openPool(options: DataSourceOptions): Promise<DataSource> {
    const pool = new DataSource(options);
    await this.open(pool);
    return pool;
  }

  private snapshotPool(): Promise<DataSource> {
    const { DOWNLOAD_POOL_SIZE: poolSize, DATABASE_URL: url, DATABASE_REPLICA_URLS: replicas } = this.settings;
    const slaves = replicas.map((replica) => ({ url: replica }));
    const replication = slaves.length ? { replication: { master: { url }, slaves } } : {};
    const options = { ...this.options, poolSize, ...replication } as DataSourceOptions;
    this.snapshots ??= this.openPool(options).catch((error) => {
      this.snapshots = undefined;
      throw error;
    });
    return this.snapshots;
  }
}

/** Connections whose session is set up. */
const sessionsSetUp = new WeakSet<Destroyable>();

/** A pooled connection for one task. */
class Lease {
  private broken = false;

  private constructor(
    private readonly queryRunner: QueryRunner,
    private readonly connection: Destroyable,
    private readonly patience: number,
  ) {}

  /**
   * @param none what is said where no connection comes free
   * @param wait milliseconds to wait for one
   * @param patience milliseconds that each statement may take
   */
  static async of(
    pool: DataSource,
    none: string,
    wait: number,
    patience: number,
    mode: ReplicationMode = 'master',
  ): Promise<Lease> {
    const queryRunner = pool.createQueryRunner(mode);
    const late = () => queryRunner.release();
    const message = `${none} came free within ${wait} ms`;
    const connection = await withDeadline<Destroyable>(queryRunner.connect(), wait, message, late);
    return new Lease(queryRunner, connection, patience);
  }

  /** Sets up the session of a connection that nothing set up before. */
  async prepare(): Promise<void> {
    if (sessionsSetUp.has(this.connection)) return;
    try {
      for (const sql of SESSION) await this.query(sql);
    } catch (error) {
      await this.release();
      throw error;
    }
    sessionsSetUp.add(this.connection);
  }

  readonly query: Query = async (sql, parameters = []) => {
    if (this.broken) throw new Error('The connection was given up');
    const message = `The database did not answer within ${this.patience} ms`;
    return withDeadline<Row[]>(this.queryRunner.query(sql, [...parameters]), this.patience, message).catch((error) => {
      this.broken ||= error.message === message;
      throw error;
    });
  };

  async release(): Promise<void> {
    if (this.broken) this.connection.destroy();
    await this.queryRunner.release();
  }
}

function encryption({ DATABASE_TLS, DATABASE_CA_FILE: path }: Settings) {
  if (!DATABASE_TLS) return undefined;
  return { ca: path && readFileSync(path, 'utf8'), verifyIdentity: true };
}

function straightJoin(table: string, index = 'PRIMARY'): string {
  return `STRAIGHT_JOIN ${table} FORCE INDEX (${index})`;
}

function upsertClause(_keys: readonly string[], columns: readonly string[]): string {
  return ` ON DUPLICATE KEY UPDATE ${columns.map((column) => `${column} = VALUES(${column})`).join()}`;
}

/** One placeholder for all rows is several times cheaper to fill in than one a value. */
function values(rows: readonly (readonly unknown[])[]): SqlPart {
  return { sql: '?', parameters: [rows] };
}

/** Grouped by the first column: MariaDB takes time by the square for (a, b) IN (…) where there is a further index. */
function rowIn(columns: readonly string[], rows: readonly (readonly unknown[])[]): SqlPart {
  const [first, second] = columns;
  if (!second) return { sql: `${first} IN (${rows.map(() => '?').join()})`, parameters: rows.flat() };
  const groups = new Map<unknown, unknown[]>();
  for (const [one, other] of rows) {
    const group = groups.get(one);
    if (group) group.push(other);
    else groups.set(one, [other]);
  }
  const terms = [...groups.values()].map((group) => `(${first} = ? AND ${second} IN (${group.map(() => '?').join()}))`);
  return { sql: `(${terms.join(' OR ')})`, parameters: [...groups].flat(2) };
}

/** Runs `work` on a connection of its own that holds the writers' lock, which ends with the connection if we die. */
async function underLock<T>(
  dataSource: DataSource,
  work: (query: Query, connection: Preparing) => Promise<T>,
): Promise<T> {
  const queryRunner = dataSource.createQueryRunner();
  const query: Query = (sql, parameters = []) => queryRunner.query(sql, [...parameters]);
  try {
    const [row] = await query(`SELECT GET_LOCK(${LOCK_NAME}, ?) AS taken`, [LOCK_SECONDS]);
    if (Number(row?.taken) !== 1)
      throw new Error(`Another import or migration has held its lock for ${LOCK_SECONDS} s; is it stuck?`);
    return await work(query, await queryRunner.connect());
  } finally {
    await query(`DO RELEASE_LOCK(${LOCK_NAME})`).catch(() => undefined);
    await queryRunner.release();
  }
}
