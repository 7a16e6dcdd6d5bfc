import type { MigrationInterface, QueryRunner } from 'typeorm';
import { CODES, codedTriggers, createTrigger, productTriggers } from './content-triggers.js';
import { dialectOf } from './dialect.js';
import { createTable } from './schema-steps.js';

/**
 * What answers are made of: a ready document for each product, and a version for each part, which changes with every
 * transaction that changes the part. Triggers see to both, so that it does not matter who writes: a document whose rows
 * change is deleted, and made again later. Our own imports, which do the same by the batch, turn them off on a server by
 * a session variable.
 */
export class ProductDocuments1764291600000 implements MigrationInterface {
  name = 'ProductDocuments1764291600000';

  async up(queryRunner: QueryRunner): Promise<void> {
    const { blob, newVersion, overwriteVersion } = await dialectOf(queryRunner);
    await createTable(
      queryRunner,
      'product_documents',
      'SKU varchar(64) NOT NULL PRIMARY KEY',
      'Shape varchar(16) NOT NULL',
      `Document ${blob} NOT NULL`,
      'FOREIGN KEY (SKU) REFERENCES products (SKU) ON DELETE CASCADE ON UPDATE CASCADE',
    );
    await createTable(
      queryRunner,
      'content_versions',
      'Part varchar(16) NOT NULL',
      'Code varchar(64) NOT NULL',
      'Version varchar(36) NOT NULL',
      'PRIMARY KEY (Part, Code)',
    );
    for (const { name, sql } of await triggers(queryRunner)) await createTrigger(queryRunner, name, sql);
    // Without a version of their own, the rows of this database would look the same as those of another one.
    for (const rows of [
      `VALUES ('products', '', ${newVersion})`,
      ...CODES.map(({ part, code, table }) => `SELECT '${part}', ${code}, ${newVersion} FROM ${table} WHERE 1 = 1`),
    ])
      await queryRunner.query(`INSERT INTO content_versions (Part, Code, Version) ${rows} ${overwriteVersion}`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const { name } of await triggers(queryRunner)) await queryRunner.query(`DROP TRIGGER ${name}`);
    await queryRunner.query('DROP TABLE content_versions');
    await queryRunner.query('DROP TABLE product_documents');
  }
}

const triggers = async (queryRunner: QueryRunner) => [
  ...(await productTriggers(queryRunner, 'content', 'documents first')),
  ...(await codedTriggers(queryRunner)),
];
