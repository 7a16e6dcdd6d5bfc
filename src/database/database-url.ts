import type { DataSourceOptions } from 'typeorm';
import Libsql from 'libsql';
import type { Settings } from '../config/settings.js';
import { migrations } from './migrations/migrations.js';

/**
 * How long a write waits for another process's write to the embedded database, in milliseconds: as long as on a server,
 * since it may be an import. Reads never wait.
 */
export const SQLITE_BUSY_MS = 3_600_000;

/** The path of the embedded database's file, or undefined where `url` names a MySQL or MariaDB server. */
export function sqlitePath(url: string): string | undefined {
  return url.startsWith('sqlite:') ? url.slice('sqlite:'.length) : undefined;
}

/**
 * TypeORM's options for `DATABASE_URL`. Decimals and dates come back as the text that is stored, and every session
 * works in UTC, so that no value depends on a time zone or passes through a float.
 */
export function databaseOptions(
  settings: Pick<Settings, 'DATABASE_URL' | 'DATABASE_POOL_SIZE' | 'DATABASE_WAIT_MS'>,
): DataSourceOptions {
  const path = sqlitePath(settings.DATABASE_URL);
  const common = { migrations, migrationsTableName: 'migrations', synchronize: false, logging: false } as const;
  if (path) {
    return {
      ...common,
      type: 'better-sqlite3',
      driver: Libsql,
      database: path,
      enableWAL: true,
      timeout: SQLITE_BUSY_MS,
    };
  }
  return {
    ...common,
    type: 'mysql',
    url: settings.DATABASE_URL,
    charset: 'utf8mb4',
    timezone: 'Z',
    dateStrings: ['DATE'],
    poolSize: settings.DATABASE_POOL_SIZE,
    connectTimeout: settings.DATABASE_WAIT_MS,
  };
}
