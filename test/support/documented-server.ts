import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import mysql from 'mysql2/promise';
import { runCli } from '../../src/cli/program.js';
import { readSettings } from '../../src/config/settings.js';
import { codeOf, OperatorFolder } from './operations-page.js';
import { type PrivateServer, startPrivateServer } from './private-server.mjs';
import { ServiceProcess } from './service-process.js';
import { A } from './small-catalogue.js';
import type { CommandResult } from './test-service.js';
import { until } from './until.js';

const PASSWORD = 'secret';
/** The accounts that docs/operations.md creates. */
const ACCOUNTS = { service: 'customer_data', imports: 'customer_data_import', owner: 'customer_data_owner' };

export type Account = keyof typeof ACCOUNTS;
/** Sends a GET with the token of customer A. */
export type Get = (path: string, headers?: Record<string, string>) => Promise<Response>;

/**
 * A server with a binary log, with the database and the accounts that an operator creates with the statements of
 * docs/operations.md.
 */
export class DocumentedServer {
  private root!: mysql.Connection;
  readonly urls: Readonly<Record<Account, string>>;
  readonly operator: OperatorFolder;

  private constructor(
    readonly database: 'MySQL' | 'MariaDB',
    private readonly server: Pick<PrivateServer, 'url'> & Partial<PrivateServer>,
  ) {
    const urlOf = (account: Account) => {
      const parts = { username: ACCOUNTS[account], password: PASSWORD, pathname: '/customer_data' };
      return Object.assign(new URL(server.url), parts).href;
    };
    this.urls = { service: urlOf('service'), imports: urlOf('imports'), owner: urlOf('owner') };
    this.operator = new OperatorFolder(this.urls.owner);
  }

  /** @param at the program of a private server as JSON, or the URL of a server that writes a binary log */
  static async start(database: 'MySQL' | 'MariaDB', at: { program?: string; url?: string }): Promise<DocumentedServer> {
    const server = at.program
      ? await startPrivateServer(JSON.parse(at.program), ['--log-bin=binary-log', '--server-id=1'])
      : { url: at.url! };
    const documented = new DocumentedServer(database, server);
    await documented.connect();
    await documented.install(1);
    await documented.install(2);
    return documented;
  }

  /** Runs the statements of a step of "Install", as the administrator. */
  async install(step: number): Promise<void> {
    const code = codeOf('Install', 'sql', this.database, step).replaceAll('…', PASSWORD).replaceAll(/--.*$/gm, '');
    for (const sql of code.split(';')) if (sql.trim()) await this.root.query(sql);
  }

  /** Runs a statement as the administrator. @returns its rows */
  async sql(sql: string): Promise<Record<string, unknown>[]> {
    return (await this.root.query(sql))[0] as Record<string, unknown>[];
  }

  /** Runs a command with an account. */
  async cli(account: Account, ...args: string[]): Promise<CommandResult> {
    const result = { code: 0, stdout: '', stderr: '' };
    const into = (stream: 'stdout' | 'stderr') => ({ write: (text: string) => (result[stream] += text) });
    const settings = () => readSettings({ DATABASE_URL: this.urls[account] }, { signing: false });
    result.code = await runCli(args, { stdout: into('stdout'), stderr: into('stderr') }, settings);
    return result;
  }

  /** Runs a command with an account. @returns its output @throws if it fails */
  async cliOk(account: Account, ...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await this.cli(account, ...args);
    if (code !== 0) throw new Error(`${account}: ${args.join(' ')} failed: ${stderr}`);
    return stdout.trim();
  }

  /** Imports files, given by name, with the account for imports. @returns the output */
  async load(files: Record<string, string>, ...options: string[]): Promise<string> {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(this.operator.path, name), text);
    const paths = Object.keys(files).map((name) => join(this.operator.path, name));
    return this.cliOk('imports', 'import', ...options, ...paths);
  }

  /** Runs statements with an account. @returns each with its error number, or undefined if the server ran it */
  async errorsOf(account: Account, statements: readonly string[]): Promise<[string, number | undefined][]> {
    const connection = await mysql.createConnection(this.urls[account]);
    const results: [string, number | undefined][] = [];
    for (const sql of statements) {
      const errno = await connection.query(sql).then(
        () => undefined,
        (error: { errno: number }) => error.errno,
      );
      results.push([sql, errno]);
    }
    await connection.end();
    return results;
  }

  /**
   * Runs `work` beside the built service with its account.
   * @param key an API key of customer A
   * @throws if the service logs an error
   */
  async serving<T>(key: string, work: (get: Get, managementUrl: string) => Promise<T>): Promise<T> {
    const settings = { NODE_ENV: 'production', JWT_SECRET: 'x'.repeat(40), DRAIN_SECONDS: '0' };
    const service = ServiceProcess.start({ ...settings, DATABASE_URL: this.urls.service }, this.operator.path);
    try {
      const { url, managementUrl } = await service.ready();
      const form = { grant_type: 'client_credentials', client_id: A, client_secret: key };
      const response = await fetch(`${url}/auth/token`, { method: 'POST', body: new URLSearchParams(form) });
      const { access_token } = (await response.json()) as { access_token: string };
      const get: Get = (path, headers = {}) =>
        fetch(url + path, { headers: { Authorization: `Bearer ${access_token}`, ...headers } });
      const result = await work(get, managementUrl);
      const errors = service.log.filter(({ level }) => level === 'error');
      if (errors.length) throw new Error(`The service logged ${JSON.stringify(errors)}`);
      return result;
    } finally {
      await service.stop();
    }
  }

  /** Restarts a private server. */
  async restart(): Promise<void> {
    await this.root.end();
    await this.server.kill!('SIGTERM');
    await this.server.start!();
    await this.connect();
  }

  /** Removes everything that the page has created. */
  async stop(): Promise<void> {
    rmSync(this.operator.path, { recursive: true });
    await until('the folder of the database is empty', () => this.dropDatabase());
    for (const name of Object.values(ACCOUNTS)) await this.sql(`DROP USER '${name}'@'%'`);
    await this.root.end();
    await this.server.stop?.();
  }

  /**
   * Drops the database.
   * @returns false if its folder was not empty after all tables were dropped, as once on MariaDB 11.8 under load
   */
  private async dropDatabase(): Promise<boolean> {
    try {
      await this.sql('DROP DATABASE customer_data');
      return true;
    } catch (error) {
      if ((error as { code?: string }).code !== 'ER_DB_DROP_RMDIR') throw error;
      return false;
    }
  }

  private async connect(): Promise<void> {
    this.root = await mysql.createConnection({ uri: this.server.url, dateStrings: true });
  }
}
