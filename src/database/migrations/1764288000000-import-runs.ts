import type { MigrationInterface, QueryRunner } from 'typeorm';
import { dialectOf } from './dialect.js';
import { createIndex, createTable } from './schema-steps.js';

/** Creates the import log: who loaded which files, and the outcome. `Files` and `Tables` are JSON. */
export class ImportRuns1764288000000 implements MigrationInterface {
  name = 'ImportRuns1764288000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    const { timestamp } = await dialectOf(queryRunner);
    await createTable(
      queryRunner,
      'import_runs',
      'ID varchar(36) NOT NULL PRIMARY KEY',
      `StartedAt ${timestamp} NOT NULL`,
      `EndedAt ${timestamp}`,
      'StartedBy varchar(255) NOT NULL',
      'Mode varchar(16) NOT NULL',
      'Outcome varchar(16)',
      'Message text',
      'Files text',
      'Tables text',
    );
    await createIndex(queryRunner, 'import_runs', 'import_runs_StartedAt', ['StartedAt']);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE import_runs');
  }
}
