import type { MigrationInterface, QueryRunner } from 'typeorm';
import { CODES, codedTriggers, createTrigger, productTriggers } from './content-triggers.js';
import { dialectOf } from './dialect.js';
import { createTable } from './schema-steps.js';

/**
 * Adds a stored document for each product, and a version for each content part. Every transaction that changes a part
 * changes its version. Triggers keep both up to date for every writer: they renew the version, and delete the document
 * of a changed product. The document is rebuilt later. On a server, an import disables the triggers with a session
 * variable, because it does their work in batches.
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
    // Existing rows get random versions, so that their ETags differ from those of another database.
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
