import Libsql from 'libsql';
import mysql from 'mysql2/promise';
import { setTimeout as sleep } from 'node:timers/promises';
import { engine, type TestDatabase } from './test-service.js';

/** A connection of another program, for transactions of several statements. */
export interface ForeignConnection {
  run(sql: string, parameters?: readonly unknown[]): Promise<void>;
  close(): Promise<void>;
}

/** How to end each connection that is open. */
const open = new Set<() => void>();

// Otherwise a test that fails would keep its locks, and later tests would wait for them.
afterEach(() => {
  for (const end of open) end();
  open.clear();
});

/** Opens a connection. It ends after the test at the latest. */
export async function foreignConnection({ url }: TestDatabase): Promise<ForeignConnection> {
  if (engine === 'sqlite') {
    const connection = new Libsql(url.slice('sqlite:'.length), { timeout: 0 });
    connection.exec('PRAGMA foreign_keys = ON');
    const end = () => void connection.close();
    open.add(end);
    return {
      // If a prepared statement has to wait for a lock, it stays in progress and prevents the transaction from ending.
      run: (sql, parameters = []) =>
        withRetry(() => void (parameters.length ? connection.prepare(sql).run([...parameters]) : connection.exec(sql))),
      close: async () => {
        open.delete(end);
        end();
      },
    };
  }
  const connection = await mysql.createConnection({ uri: url, charset: 'utf8mb4' });
  const end = () => connection.destroy();
  open.add(end);
  return {
    run: async (sql, parameters = []) => void (await connection.query(sql, [...parameters])),
    close: async () => {
      open.delete(end);
      await connection.end();
    },
  };
}

/** The statement that begins a writing transaction. */
export const BEGIN = engine === 'sqlite' ? 'BEGIN IMMEDIATE' : 'START TRANSACTION';

/**
 * Retries while another transaction writes. SQLite's own wait would block this process, and with it the other
 * transaction.
 */
async function withRetry(work: () => void): Promise<void> {
  for (let attempt = 0; ; attempt++, await sleep(10)) {
    try {
      return work();
    } catch (error) {
      if (!(error as { code?: string }).code?.startsWith('SQLITE_BUSY') || attempt > 1000) throw error;
    }
  }
}
