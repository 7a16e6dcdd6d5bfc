import type { QueryRunner } from 'typeorm';

/** Column types, table options and SQL that differ between the engines. */
export interface Dialect {
  decimal: (precision: number, scale: number) => string;
  date: string;
  /** A UTC point in time with milliseconds. */
  timestamp: string;
  serial: string;
  /** Bytes. The maximum is larger than that of a text. */
  blob: string;
  tableOptions: string;
  /** An SQL expression for a new, unique version. */
  newVersion: string;
  /**
   * Ends an INSERT into content_versions: an existing row gets a new version. A SELECT before it needs a WHERE. Without
   * one, SQLite parses ON as part of a join.
   */
  overwriteVersion: string;
  /**
   * Returns the SQL of a trigger that runs the statements after each row. It creates the trigger unless it exists. On a
   * server, the trigger ignores the rows of imports.
   */
  trigger: (name: string, event: string, table: string, statements: string[]) => { name: string; sql: string };
}

/** Whether the migration runs on MySQL or MariaDB instead of the embedded database. */
export function isOnServer(queryRunner: QueryRunner): boolean {
  return queryRunner.dataSource.options.type === 'mysql';
}

/**
 * Returns the dialect of the engine. SQLite would convert a DECIMAL to a binary float, so it stores decimals and dates as
 * text. On the servers, text is compared by code point, including trailing spaces. MySQL and MariaDB name that collation
 * differently. `utf8mb4_bin` ignores trailing spaces on both.
 */
export async function dialectOf(queryRunner: QueryRunner): Promise<Dialect> {
  if (!isOnServer(queryRunner)) {
    return {
      decimal: () => 'text',
      date: 'text',
      timestamp: 'text',
      serial: 'integer PRIMARY KEY AUTOINCREMENT NOT NULL',
      blob: 'blob',
      tableOptions: '',
      newVersion: 'lower(hex(randomblob(16)))',
      overwriteVersion: 'ON CONFLICT (Part, Code) DO UPDATE SET Version = excluded.Version',
      trigger: (name, event, table, statements) => ({
        name,
        sql: `CREATE TRIGGER IF NOT EXISTS ${name} AFTER ${event} ON ${table} FOR EACH ROW BEGIN ${statements.join('; ')}; END`,
      }),
    };
  }
  const [{ version }] = await queryRunner.query('SELECT VERSION() AS version');
  const collation = /mariadb/i.test(version) ? 'utf8mb4_nopad_bin' : 'utf8mb4_0900_bin';
  return {
    decimal: (precision, scale) => `decimal(${precision},${scale})`,
    date: 'date',
    timestamp: 'datetime(3)',
    serial: 'integer NOT NULL AUTO_INCREMENT PRIMARY KEY',
    blob: 'mediumblob',
    newVersion: 'UUID()',
    overwriteVersion: 'ON DUPLICATE KEY UPDATE Version = UUID()',
    trigger: (name, event, table, statements) => ({
      name,
      sql: `CREATE TRIGGER IF NOT EXISTS ${name} AFTER ${event} ON ${table} FOR EACH ROW
IF COALESCE(@customer_data_import, 0) = 0 THEN ${statements.join('; ')}; END IF`,
    }),
    tableOptions: ` ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE ${collation}`,
  };
}
