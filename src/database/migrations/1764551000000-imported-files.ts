import type { MigrationInterface, QueryRunner } from 'typeorm';
import { dialectOf } from './dialect.js';
import { createTable } from './schema-steps.js';

/** Adds the hashes of the files that were imported into each table. With them, an import recognises an unchanged file. */
export class ImportedFiles1764551000000 implements MigrationInterface {
  name = 'ImportedFiles1764551000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    const { timestamp } = await dialectOf(queryRunner);
    await createTable(
      queryRunner,
      'imported_files',
      'TableName varchar(64) NOT NULL',
      'Sha256 varchar(64) NOT NULL',
      `LastImportedAt ${timestamp} NOT NULL`,
      'PRIMARY KEY (TableName, Sha256)',
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE IF EXISTS imported_files');
  }
}
