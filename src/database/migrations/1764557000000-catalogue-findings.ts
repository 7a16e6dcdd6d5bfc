import type { MigrationInterface, QueryRunner } from 'typeorm';
import { dialectOf } from './dialect.js';
import { createTable } from './schema-steps.js';

/** Adds the findings of the last catalogue check, counted by rule, for the metrics. */
export class CatalogueFindings1764557000000 implements MigrationInterface {
  name = 'CatalogueFindings1764557000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    const { timestamp } = await dialectOf(queryRunner);
    await createTable(
      queryRunner,
      'catalogue_findings',
      'RuleName varchar(64) NOT NULL PRIMARY KEY',
      'Findings integer NOT NULL',
      `CheckedAt ${timestamp} NOT NULL`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE IF EXISTS catalogue_findings');
  }
}
