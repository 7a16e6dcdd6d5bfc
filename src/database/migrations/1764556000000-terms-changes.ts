import type { MigrationInterface, QueryRunner } from 'typeorm';
import { dialectOf } from './dialect.js';
import { addColumn, createIndex, createTable } from './schema-steps.js';

/** Adds the log of changes to terms and keys, and the price changes of each import. The values are JSON. */
export class TermsChanges1764556000000 implements MigrationInterface {
  name = 'TermsChanges1764556000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    const { serial, timestamp } = await dialectOf(queryRunner);
    await createTable(
      queryRunner,
      'terms_changes',
      `ID ${serial}`,
      `ChangedAt ${timestamp} NOT NULL`,
      'Subject varchar(16) NOT NULL',
      'Code varchar(64) NOT NULL',
      'OldValues text',
      'NewValues text',
      'DatabaseAccount varchar(255)',
      'ChangedBy varchar(255) NOT NULL',
      'ImportID varchar(36)',
    );
    await createIndex(queryRunner, 'terms_changes', 'terms_changes_Code', ['Code', 'ChangedAt']);
    await createIndex(queryRunner, 'terms_changes', 'terms_changes_ChangedAt', ['ChangedAt']);
    await addColumn(queryRunner, 'import_runs', 'PriceChanges', 'text');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE IF EXISTS terms_changes');
    await queryRunner.query('ALTER TABLE import_runs DROP COLUMN PriceChanges');
  }
}
