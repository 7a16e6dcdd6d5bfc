import { command } from '../../config/command.js';
import type { Query, Row } from '../query.js';
import { migrations } from './migrations.js';

const NAMES = migrations.map((Migration) => new Migration().name);

/** Returns the names of the migrations that the database lacks, oldest first. */
export async function pendingMigrations(query: Query): Promise<string[]> {
  const done = await query('SELECT name FROM migrations').catch(noneWithoutTable);
  const names = new Set(done.map(({ name }) => name));
  return NAMES.filter((name) => !names.has(name));
}

/** @throws if the database lacks migrations */
export async function assertCurrent(query: Query): Promise<void> {
  const pending = await pendingMigrations(query);
  if (!pending.length) return;
  throw new Error(`The database lacks ${pending.length} migration(s); run: ${command('migrate')}`);
}

function noneWithoutTable(error: Error & { code?: string }): Row[] {
  if (error.code === 'ER_NO_SUCH_TABLE' || error.message.includes('no such table')) return [];
  throw error;
}
