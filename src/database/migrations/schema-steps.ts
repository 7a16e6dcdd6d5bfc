import type { QueryRunner } from 'typeorm';
import { dialectOf, isOnServer } from './dialect.js';

// MySQL and MariaDB commit each of these statements separately. A migration that stopped half-way restarts from its first
// step, so each step must do nothing if it is done already.

/**
 * Creates a table unless it exists.
 * @param definitions the columns, primary key and foreign keys
 * @throws if a table with this name lacks some of the columns: it then belongs to another program
 */
export async function createTable(
  queryRunner: QueryRunner,
  table: string,
  ...definitions: readonly string[]
): Promise<void> {
  const { tableOptions } = await dialectOf(queryRunner);
  await queryRunner.query(`CREATE TABLE IF NOT EXISTS ${table} (\n  ${definitions.join(',\n  ')}\n)${tableOptions}`);
  const columns = definitions.map((text) => text.split(' ')[0]!).filter((word) => !/^(PRIMARY|FOREIGN)$/.test(word));
  await queryRunner.query(`SELECT ${columns.join()} FROM ${table} LIMIT 0`).catch((error: Error) => {
    throw new Error(
      `The table ${table} belongs to another program (${error.message}). Set DATABASE_URL to a database of its own`,
      { cause: error },
    );
  });
}

/** Creates an index unless the table has one of this name. */
export async function createIndex(
  queryRunner: QueryRunner,
  table: string,
  index: string,
  columns: readonly string[],
): Promise<void> {
  if (await has(queryRunner, INDEXES, table, index)) return;
  await queryRunner.query(`CREATE INDEX ${index} ON ${table} (${columns.join(', ')})`);
}

/** Adds a column unless the table has one of this name. */
export async function addColumn(queryRunner: QueryRunner, table: string, column: string, type: string): Promise<void> {
  if (await has(queryRunner, COLUMNS, table, column)) return;
  await queryRunner.query(`ALTER TABLE ${table} ADD COLUMN ${column} ${type}`);
}

/** The lists of columns or indexes of a table. */
interface Catalog {
  embedded: string;
  server: string;
}

const INDEXES: Catalog = {
  embedded: 'pragma_index_list(?) WHERE name = ?',
  server: 'information_schema.statistics WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = ? AND INDEX_NAME = ?',
};
const COLUMNS: Catalog = {
  embedded: 'pragma_table_info(?) WHERE name = ?',
  server: 'information_schema.columns WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = ? AND COLUMN_NAME = ?',
};

async function has(queryRunner: QueryRunner, catalog: Catalog, table: string, name: string): Promise<boolean> {
  const from = isOnServer(queryRunner) ? catalog.server : catalog.embedded;
  return (await queryRunner.query(`SELECT 1 FROM ${from}`, [table, name])).length > 0;
}
