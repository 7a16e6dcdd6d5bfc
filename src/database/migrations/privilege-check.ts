import type { QueryRunner } from 'typeorm';
import type { Query } from '../query.js';
import { explainRefusal, type Task } from '../refused-statement.js';
import { dialectOf } from './dialect.js';

/** A table for the check only. If the check is killed, the table remains until the next check drops it. */
const TABLE = 'customer_data_privilege_check';

export const MIGRATING: Task = {
  account: 'the account that owns the schema',
  rights: 'SELECT, INSERT, UPDATE, DELETE, CREATE, ALTER, DROP, INDEX, REFERENCES, TRIGGER',
};

/**
 * Runs each kind of statement that a migration contains on its own table, and drops the table. Lists of privileges and
 * settings do not show what a server allows, because roles, patterns of database names and the version also matter.
 * @throws an error with the remedy. In this case, the schema is unchanged.
 */
export async function checkPrivileges(queryRunner: QueryRunner): Promise<void> {
  try {
    for (const sql of await statements(queryRunner)) await queryRunner.query(sql);
  } catch (error) {
    const query: Query = (sql) => queryRunner.query(sql);
    const { message } = (await explainRefusal(error, query, MIGRATING)) as Error;
    await queryRunner.query(`DROP TABLE IF EXISTS ${TABLE}`).catch(() => undefined);
    throw new Error(`The database refuses a statement that migrations need: ${message}. Nothing was migrated`, {
      cause: error,
    });
  }
}

async function statements(queryRunner: QueryRunner): Promise<string[]> {
  const { tableOptions } = await dialectOf(queryRunner);
  return [
    `DROP TABLE IF EXISTS ${TABLE}`,
    `CREATE TABLE ${TABLE} (ID integer NOT NULL PRIMARY KEY, Parent integer)${tableOptions}`,
    `CREATE INDEX ${TABLE}_Parent ON ${TABLE} (Parent)`,
    `ALTER TABLE ${TABLE} ADD FOREIGN KEY (Parent) REFERENCES ${TABLE} (ID)`,
    `CREATE TRIGGER ${TABLE}_insert AFTER INSERT ON ${TABLE} FOR EACH ROW SET @customer_data_privilege_check = 1`,
    `INSERT INTO ${TABLE} (ID) SELECT COUNT(*) FROM ${TABLE}`,
    `UPDATE ${TABLE} SET Parent = NULL`,
    `DELETE FROM ${TABLE}`,
    `DROP TRIGGER ${TABLE}_insert`,
    `DROP TABLE ${TABLE}`,
  ];
}
