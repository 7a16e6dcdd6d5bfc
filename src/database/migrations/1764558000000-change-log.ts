import type { MigrationInterface, QueryRunner } from 'typeorm';
import { dialectOf } from './dialect.js';
import { addColumn, createIndex, createTable } from './schema-steps.js';

/**
 * Adds the change log: which SKUs an import changed in which content part. `GET /stock/changes` and its siblings read
 * it. Until the first import, the log covers nothing, so these paths return every element.
 */
export class ChangeLog1764558000000 implements MigrationInterface {
  name = 'ChangeLog1764558000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    const { timestamp } = await dialectOf(queryRunner);
    await addColumn(queryRunner, 'content_versions', 'LoggedVersion', 'varchar(36)');
    await addColumn(queryRunner, 'content_versions', 'Counter', 'integer');
    await addColumn(queryRunner, 'content_versions', 'FirstCounter', 'integer');
    await createTable(
      queryRunner,
      'version_history',
      'Part varchar(16) NOT NULL',
      'Code varchar(64) NOT NULL',
      'Version varchar(36) NOT NULL',
      'Counter integer NOT NULL',
      `SupersededAt ${timestamp}`,
      'PRIMARY KEY (Part, Code, Version)',
    );
    await createIndex(queryRunner, 'version_history', 'version_history_SupersededAt', ['SupersededAt']);
    await createTable(
      queryRunner,
      'changed_skus',
      'Part varchar(16) NOT NULL',
      'Code varchar(64) NOT NULL',
      'SKU varchar(64) NOT NULL',
      'Counter integer NOT NULL',
      'RemovedCounter integer',
      'PRIMARY KEY (Part, Code, SKU)',
    );
    await createIndex(queryRunner, 'changed_skus', 'changed_skus_Counter', ['Part', 'Code', 'Counter']);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE IF EXISTS changed_skus');
    await queryRunner.query('DROP TABLE IF EXISTS version_history');
    for (const column of ['LoggedVersion', 'Counter', 'FirstCounter'])
      await queryRunner.query(`ALTER TABLE content_versions DROP COLUMN ${column}`);
  }
}
