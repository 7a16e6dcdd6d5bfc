import type { MigrationInterface, QueryRunner } from 'typeorm';
import { dialectOf } from './dialect.js';

/** The files that were imported into each table, by which an import recognises a file that brings nothing new. */
export class ImportedFiles1764551000000 implements MigrationInterface {
  name = 'ImportedFiles1764551000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    const { timestamp, tableOptions } = await dialectOf(queryRunner);
    await queryRunner.query(`CREATE TABLE IF NOT EXISTS imported_files (
  TableName varchar(64) NOT NULL,
  Sha256 varchar(64) NOT NULL,
  LastImportedAt ${timestamp} NOT NULL,
  PRIMARY KEY (TableName, Sha256)
)${tableOptions}`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE IF EXISTS imported_files');
  }
}
