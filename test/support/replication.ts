import mysql from 'mysql2/promise';
import type { PrivateServer } from './private-server.mjs';

/** The keywords of MariaDB and of MySQL 8.4 and later for the same statements. */
const WORDS = {
  mariadb: { position: 'SHOW MASTER STATUS', source: 'CHANGE MASTER TO', option: 'MASTER', replica: 'SLAVE' },
  mysql: {
    position: 'SHOW BINARY LOG STATUS',
    source: 'CHANGE REPLICATION SOURCE TO',
    option: 'SOURCE',
    replica: 'REPLICA',
  },
};

/** The options of a server that has replicas. */
export const LOGGED = ['--log-bin=log', '--binlog-format=ROW', '--server-id=1'];

/** The replication from a server to its copy. It can be stopped and started. */
export class Replication {
  private constructor(
    private readonly copy: PrivateServer,
    private readonly words: (typeof WORDS)['mysql'],
  ) {}

  /** Starts the replication. Neither server may have been written to since the copy was made. */
  static async begin(server: PrivateServer, copy: PrivateServer, mariadb: boolean): Promise<Replication> {
    const words = WORDS[mariadb ? 'mariadb' : 'mysql'];
    const [at] = await run(server, words.position);
    const { hostname, port, username } = new URL(server.url);
    const options: Record<string, string | number> = {
      HOST: hostname,
      PORT: Number(port),
      USER: username,
      LOG_FILE: String(at!.File),
      LOG_POS: Number(at!.Position),
    };
    const terms = Object.entries(options).map(([name, value]) => `${words.option}_${name} = ${mysql.escape(value)}`);
    await run(copy, 'SET GLOBAL server_id = 2', `${words.source} ${terms.join()}`);
    const replication = new Replication(copy, words);
    await replication.start();
    return replication;
  }

  start(): Promise<unknown> {
    return run(this.copy, `START ${this.words.replica}`);
  }

  stop(): Promise<unknown> {
    return run(this.copy, `STOP ${this.words.replica}`);
  }

  /** Lets the copy apply each change this many seconds after the server. */
  async delay(seconds: number): Promise<void> {
    const { source, option } = this.words;
    await this.stop();
    await run(this.copy, `${source} ${option}_DELAY = ${seconds}`);
    await this.start();
  }
}

async function run({ url }: PrivateServer, ...statements: string[]): Promise<Record<string, unknown>[]> {
  const connection = await mysql.createConnection(url);
  try {
    let rows: unknown;
    for (const sql of statements) [rows] = await connection.query(sql);
    return rows as Record<string, unknown>[];
  } finally {
    await connection.end();
  }
}
