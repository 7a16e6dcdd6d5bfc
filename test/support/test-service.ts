import type { LoggerService } from '@nestjs/common';
import Libsql from 'libsql';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import mysql from 'mysql2/promise';
import { runCli } from '../../src/cli/program.js';
import { readSettings, type Settings } from '../../src/config/settings.js';
import { startService } from '../../src/service.js';

declare const TEST_ENGINE: 'sqlite' | 'mysql';

export const engine = TEST_ENGINE;

/** Limits that no test reaches, except for the tests of quotas. */
const UNLIMITED = { REQUESTS_PER_MINUTE: '1000000', REQUESTS_PER_HOUR: '1000000' };

/** The environment variables of a service. */
export type Environment = Record<string, string>;

/** The result of one CLI command. */
export interface CommandResult {
  code: number;
  stdout: string;
  stderr: string;
}

/** A database of this engine for one test, and the operations on it. */
export class TestDatabase {
  readonly folder = mkdtempSync(join(tmpdir(), 'customer-data-test-'));
  private constructor(readonly url: string) {}

  /**
   * Creates an empty database.
   * @param migrated whether to create the schema
   * @param server the URL of the server to create it on, with an account that may create databases; default: the server
   * of this run
   */
  static async create({ migrated = true, server = process.env.TEST_MYSQL_URL } = {}): Promise<TestDatabase> {
    const database = new TestDatabase(engine === 'sqlite' ? sqliteUrl() : await createOn(server!));
    if (migrated) await database.cliOk('migrate');
    return database;
  }

  /** Creates a database with the schema at the given URL. The caller removes it. */
  static async at(url: string): Promise<TestDatabase> {
    const database = new TestDatabase(url);
    await database.cliOk('migrate');
    return database;
  }

  settings(environment: Environment = {}): Settings {
    return readSettings({
      PORT: '0',
      MANAGEMENT_PORT: '0',
      DATABASE_URL: this.url,
      DEMO_DATA: 'false',
      ...UNLIMITED,
      ...environment,
    });
  }

  /** Runs the CLI on this database within this process. */
  cli(...args: string[]): Promise<CommandResult> {
    return this.cliReading('', ...args);
  }

  /** Runs the CLI with the given standard input. */
  async cliReading(stdin: string | Buffer, ...args: string[]): Promise<CommandResult> {
    const result = { code: 0, stdout: '', stderr: '' };
    result.code = await runCli(
      args,
      {
        stdin: Readable.from([stdin]),
        stdout: { write: (text) => (result.stdout += text) },
        stderr: { write: (text) => (result.stderr += text) },
      },
      () => this.settings(),
    );
    return result;
  }

  /**
   * Runs the CLI and returns its output.
   * @throws with its error output if it fails
   */
  async cliOk(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await this.cli(...args);
    if (code !== 0) throw new Error(`${args.join(' ')} failed: ${stderr}`);
    return stdout.trim();
  }

  /**
   * Writes import files, given by name, to a new folder.
   * @returns the folder
   */
  async files(files: Record<string, string | Buffer>): Promise<string> {
    const folder = join(this.folder, randomBytes(4).toString('hex'));
    await mkdir(folder);
    for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
    return folder;
  }

  /** Imports files, given by name. */
  async load(files: Record<string, string | Buffer>, ...options: string[]): Promise<void> {
    await this.cliOk('import', ...options, await this.files(files));
  }

  /**
   * Runs statements on a separate connection, as another program might.
   * @returns the rows of the last statement
   */
  async sql(statements: string | string[], parameters: unknown[] = []): Promise<Record<string, unknown>[]> {
    const [last, ...earlier] = [statements].flat().toReversed() as [string, ...string[]];
    if (engine === 'sqlite') {
      const connection = new Libsql(this.url.slice('sqlite:'.length), { timeout: 5000 });
      for (const statement of earlier.toReversed()) connection.exec(statement);
      const statement = connection.prepare(last);
      const rows = statement.reader ? statement.all(...parameters) : (statement.run(...parameters), []);
      connection.close();
      return rows as Record<string, unknown>[];
    }
    const connection = await mysql.createConnection({ uri: this.url, charset: 'utf8mb4' });
    for (const statement of earlier.toReversed()) await connection.query(statement);
    const [rows] = await connection.query(last, parameters);
    await connection.end();
    return rows as Record<string, unknown>[];
  }

  async drop(): Promise<void> {
    rmSync(this.folder, { recursive: true, force: true });
    if (engine === 'sqlite')
      return rmSync(join(this.url.slice('sqlite:'.length), '..'), { recursive: true, force: true });
    await this.sql(`DROP DATABASE IF EXISTS ${new URL(this.url).pathname.slice(1)}`);
  }
}

/** A service within this process, and its database. */
export class TestService {
  private constructor(
    readonly database: TestDatabase,
    readonly url: string,
    readonly managementUrl: string,
    /** The lines of the log. */
    readonly log: string[],
    /** Stops the service; the database stays. */
    readonly stop: () => Promise<void>,
  ) {}

  /** Starts a service on the given or a new database. Resolves when it is ready. */
  static async start(environment: Environment = {}, on?: TestDatabase): Promise<TestService> {
    const database = on ?? (await TestDatabase.create());
    const log: string[] = [];
    const service = await startService(database.settings(environment), collectingLogger(log));
    await service.ready;
    return new TestService(
      database,
      `http://127.0.0.1:${service.port}`,
      `http://127.0.0.1:${service.managementPort}`,
      log,
      () => service.close(),
    );
  }

  /** Stops the service and drops its database. */
  async close(): Promise<void> {
    await this.stop();
    await this.database.drop();
  }

  /** Issues a new API key for the customer. */
  key(customerCode: string): Promise<string> {
    return this.database.cliOk('key', 'issue', customerCode);
  }

  /** Requests a new access token for the customer. */
  async token(customerCode: string): Promise<string> {
    const response = await fetch(`${this.url}/auth/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: customerCode,
        client_secret: await this.key(customerCode),
      }),
    });
    const { access_token } = (await response.json()) as { access_token: string };
    return access_token;
  }

  /** Sends a GET with a token. */
  get(path: string, token?: string): Promise<Response> {
    return fetch(this.url + path, { headers: token ? { Authorization: `Bearer ${token}` } : {} });
  }

  /**
   * Returns the JSON text of a path.
   * @throws if the status is not 200
   */
  async text(path: string, token: string): Promise<string> {
    const response = await this.get(path, token);
    const text = await response.text();
    if (response.status !== 200) throw new Error(`${path} returned ${response.status}: ${text}`);
    return text;
  }
}

function sqliteUrl(): string {
  return `sqlite:${join(mkdtempSync(join(tmpdir(), 'customer-data-test-')), 'test.db')}`;
}

async function createOn(url: string): Promise<string> {
  const name = `customer_data_${randomBytes(6).toString('hex')}`;
  const server = new URL(url);
  const connection = await mysql.createConnection(url);
  await connection.query(`CREATE DATABASE ${name}`);
  await connection.end();
  server.pathname = `/${name}`;
  return server.href;
}

function collectingLogger(log: string[]): LoggerService {
  const add = (...parts: unknown[]) => void log.push(parts.join(' '));
  return { log: add, warn: add, error: add, debug: add };
}
