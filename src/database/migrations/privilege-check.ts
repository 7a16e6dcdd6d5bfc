import type { QueryRunner } from 'typeorm';
import { dialectOf } from './dialect.js';

/** A table for the check only. If the check is killed, the table remains until the next check drops it. */
const TABLE = 'customer_data_privilege_check';

const BINARY_LOG_NEEDS_SUPER = 1419;
/** Access to the database, a table, a column or a global privilege is denied. */
const DENIED = new Set([1044, 1142, 1143, 1227, 1370]);

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
    return `${error.message}. The server writes a binary log: run SET GLOBAL log_bin_trust_function_creators = 1 and add that to its configuration, or set DATABASE_URL to an account with SUPER`;
  if (!errno || !DENIED.has(errno)) return error.message;
  const [row] = await queryRunner.query('SELECT DATABASE() AS name, CURRENT_USER() AS account');
  const account = String(row.account).replace(/^(.*)@(.*)$/, "'$1'@'$2'");
  return `${error.message}. Run GRANT ALL ON \`${row.name}\`.* TO ${account}`;
}
