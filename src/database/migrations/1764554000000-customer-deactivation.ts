import type { MigrationInterface, QueryRunner } from 'typeorm';
import { dialectOf } from './dialect.js';
import { addColumn } from './schema-steps.js';

/** Adds the time of a customer's latest deactivation, which revokes its earlier tokens (docs/decisions.md#117). */
export class CustomerDeactivation1764554000000 implements MigrationInterface {
  name = 'CustomerDeactivation1764554000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    const { timestamp } = await dialectOf(queryRunner);
    await addColumn(queryRunner, 'customers', 'DeactivatedAt', timestamp);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE customers DROP COLUMN DeactivatedAt');
  }
}
