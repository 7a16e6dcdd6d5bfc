import type { QueryRunner } from 'typeorm';

/** The column types and table options that differ between the engines. */
export interface Dialect {
  decimal: (precision: number, scale: number) => string;
  date: string;
  /** A UTC point in time with milliseconds. */
  timestamp: string;
  serial: string;
  tableOptions: string;
}

/**
 * SQLite would turn a DECIMAL into a binary float, so its decimals and dates are stored as text. On the servers all
 * text is compared code point by code point, trailing spaces included; MySQL and MariaDB name that collation
 * differently (`utf8mb4_bin` ignores trailing spaces on both).
 */
export async function dialectOf(queryRunner: QueryRunner): Promise<Dialect> {
  if (queryRunner.dataSource.options.type !== 'mysql') {
    return {
      decimal: () => 'text',
      date: 'text',
      timestamp: 'text',
      serial: 'integer PRIMARY KEY AUTOINCREMENT NOT NULL',
      tableOptions: '',
    };
  }
  const [{ version }] = await queryRunner.query('SELECT VERSION() AS version');
  const collation = /mariadb/i.test(version) ? 'utf8mb4_nopad_bin' : 'utf8mb4_0900_bin';
  return {
    decimal: (precision, scale) => `decimal(${precision},${scale})`,
    date: 'date',
    timestamp: 'datetime(3)',
    serial: 'integer NOT NULL AUTO_INCREMENT PRIMARY KEY',
    tableOptions: ` ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE ${collation}`,
  };
}
