import type { MigrationInterface, QueryRunner } from 'typeorm';
import { isOnServer } from './dialect.js';
import { createIndex } from './schema-steps.js';

/** All that answers ask of each product of an assortment is its status: a narrow index has it, rather than wide rows. */
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
