import type { QueryRunner } from 'typeorm';

/** The column types and table options that differ between the engines. */
export interface Dialect {
  decimal: (precision: number, scale: number) => string;
  date: string;
  /** A UTC point in time with milliseconds. */
  timestamp: string;
  serial: string;
  /** Bytes, more than a text may have. */
  blob: string;
  tableOptions: string;
  /** A version that is another one each time. */
  newVersion: string;
  /**
   * Ends an INSERT into content_versions: a row that exists gets a new version. A SELECT before it needs a WHERE, or
   * SQLite reads ON as the beginning of a join.
   */
  overwriteVersion: string;
  /**
   * Creates a trigger, unless it exists, that runs the statements after each row. On a server it ignores the rows of our
   * own imports.
   */
  trigger: (name: string, event: string, table: string, statements: string[]) => { name: string; sql: string };
}

/** Whether the migration runs on MySQL or MariaDB, and not on the embedded database. */
export function isOnServer(queryRunner: QueryRunner): boolean {
  return queryRunner.dataSource.options.type === 'mysql';
}

/**
 * SQLite would turn a DECIMAL into a binary float, so its decimals and dates are stored as text. On the servers all
 * text is compared code point by code point, trailing spaces included; MySQL and MariaDB name that collation
 * differently (`utf8mb4_bin` ignores trailing spaces on both).
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
