import type { MigrationInterface, QueryRunner } from 'typeorm';
import { isOnServer } from './dialect.js';
import { createIndex } from './schema-steps.js';

/** Adds a narrow index with the status. To find eligible products, a response reads the index instead of the wide rows. */
export class EligibilityIndex1764378000000 implements MigrationInterface {
  name = 'EligibilityIndex1764378000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await createIndex(queryRunner, 'products', 'products_eligibility', ['SKU', 'Status']);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    const on = isOnServer(queryRunner) ? ' ON products' : '';
    await queryRunner.query(`DROP INDEX products_eligibility${on}`);
  }
}
