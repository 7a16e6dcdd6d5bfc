import Libsql from 'libsql';
import mysql from 'mysql2/promise';
import { setTimeout as sleep } from 'node:timers/promises';
import { engine, type TestDatabase } from './test-service.js';

/** A connection of a foreign program, for transactions of more than one step. */
export interface ForeignConnection {
  run(sql: string, parameters?: readonly unknown[]): Promise<void>;
  close(): Promise<void>;
}

export async function foreignConnection({ url }: TestDatabase): Promise<ForeignConnection> {
  if (engine === 'sqlite') {
    const connection = new Libsql(url.slice('sqlite:'.length), { timeout: 0 });
    connection.exec('PRAGMA foreign_keys = ON');
    return {
      // A prepared statement that met another's lock would stay in progress, and keep the transaction from its end.
      run: (sql, parameters = []) =>
        patiently(() => void (parameters.length ? connection.prepare(sql).run([...parameters]) : connection.exec(sql))),
      close: async () => void connection.close(),
    };
  }
  const connection = await mysql.createConnection({ uri: url, charset: 'utf8mb4' });
  return {
    run: async (sql, parameters = []) => void (await connection.query(sql, [...parameters])),
    close: () => connection.end(),
  };
}

/** The statement that begins a transaction which is going to write. */
export const BEGIN = engine === 'sqlite' ? 'BEGIN IMMEDIATE' : 'START TRANSACTION';

/** Tries again while another one writes: a wait within SQLite would keep that one, in this process, from its end. */
async function patiently(work: () => void): Promise<void> {
  for (let attempt = 0; ; attempt++, await sleep(10)) {
    try {
      return work();
    } catch (error) {
      if (!(error as { code?: string }).code?.startsWith('SQLITE_BUSY') || attempt > 1000) throw error;
    }
  }
}

/** Resolves when so many transactions wait for others' locks on the server; or after a while, if they need not. */
export async function lockWait(database: TestDatabase, count = 1): Promise<void> {
  for (let attempt = 0; attempt < 20; attempt++, await sleep(100)) {
    const waiting = await database.sql(
      `SELECT 1 FROM information_schema.innodb_trx JOIN information_schema.processlist ON ID = trx_mysql_thread_id
       WHERE trx_state = 'LOCK WAIT' AND DB = DATABASE()`,
    );
    if (waiting.length >= count) return;
  }
}
