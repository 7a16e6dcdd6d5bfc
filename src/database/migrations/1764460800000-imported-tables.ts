import type { MigrationInterface, QueryRunner } from 'typeorm';
import { dialectOf } from './dialect.js';

/** When a file was last imported into each table, which the record of imports would tell only by reading all of it. */
export class ImportedTables1764460800000 implements MigrationInterface {
  name = 'ImportedTables1764460800000';

  async up(queryRunner: QueryRunner): Promise<void> {
    const { timestamp, tableOptions } = await dialectOf(queryRunner);
    await queryRunner.query(`CREATE TABLE imported_tables (
  TableName varchar(64) NOT NULL PRIMARY KEY,
  ImportedAt ${timestamp} NOT NULL
)${tableOptions}`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE imported_tables');
  }
}
