import type { QueryRunner } from 'typeorm';
import { accountOf, deniedStatement } from '../denied-statement.js';
import { dialectOf } from './dialect.js';

/** A table for the check only. If the check is killed, the table remains until the next check drops it. */
const TABLE = 'customer_data_privilege_check';

const BINARY_LOG_NEEDS_SUPER = 1419;

/** The privileges that the statements of migrations need. */
const PRIVILEGES = 'SELECT, INSERT, UPDATE, DELETE, CREATE, ALTER, DROP, INDEX, REFERENCES, TRIGGER';

/**
 * Runs each kind of statement that a migration contains on its own table, and drops the table. Lists of privileges and
 * settings do not show what a server allows, because roles, patterns of database names and the version also matter.
 * @throws an error with the remedy. In this case, the schema is unchanged.
 */
export async function checkPrivileges(queryRunner: QueryRunner): Promise<void> {
  try {
    for (const sql of await statements(queryRunner)) await queryRunner.query(sql);
  } catch (error) {
    const remedy = await remedyFor(error as Error, queryRunner);
    await queryRunner.query(`DROP TABLE IF EXISTS ${TABLE}`).catch(() => undefined);
    throw new Error(`The database refuses a statement that migrations need: ${remedy}. Nothing was migrated`, {
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

async function remedyFor(error: Error, queryRunner: QueryRunner): Promise<string> {
  const { driverError: { errno } = {} } = error as { driverError?: { errno?: number } };
  if (errno === BINARY_LOG_NEEDS_SUPER)
    return `${error.message}. The server writes a binary log: as its administrator, run SET GLOBAL log_bin_trust_function_creators = 1 and add that to its configuration (on MySQL, SET PERSIST does both)`;
  if (!deniedStatement(error)) return error.message;
  const { name, account } = await accountOf((sql) => queryRunner.query(sql));
  return `${error.message}. Set DATABASE_URL to the account that owns the schema. If this is the account, run GRANT ${PRIVILEGES} ON \`${name}\`.* TO ${account}`;
}
