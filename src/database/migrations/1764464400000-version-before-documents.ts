import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createTrigger, productTriggers } from './content-triggers.js';
import { dialectOf, isOnServer } from './dialect.js';

/**
 * Changes the order of the triggers: they renew the version of the products before they delete a document. Every writer
 * locks rows first, then versions, then documents. A writer that waits for a version must not have looked for documents
 * before, because the session that holds the version may be storing them. For the same reason a document has no foreign
 * key to its product: the key would lock the row of the product last.
 */
export class VersionBeforeDocuments1764464400000 implements MigrationInterface {
  name = 'VersionBeforeDocuments1764464400000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await makeTriggers(queryRunner, NEW);
    await dropTriggers(queryRunner, OLD);
    if (isOnServer(queryRunner)) await dropReference(queryRunner);
    else await recreate(queryRunner);
    // With the old order, wrong documents may have been stored. New versions make all ETags of clients stale.
    const { newVersion } = await dialectOf(queryRunner);
    await queryRunner.query('DELETE FROM product_documents');
    await queryRunner.query(`UPDATE content_versions SET Version = ${newVersion}`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    if (isOnServer(queryRunner)) {
      await queryRunner.query('DELETE FROM product_documents WHERE SKU NOT IN (SELECT SKU FROM products)');
      await queryRunner.query(`ALTER TABLE product_documents ADD ${FOREIGN_KEY}`);
    } else await recreate(queryRunner, `,\n  ${FOREIGN_KEY}`);
    await makeTriggers(queryRunner, OLD);
    await dropTriggers(queryRunner, NEW);
  }
}

const OLD = ['content', 'documents first'] as const;
const NEW = ['renew', 'version first'] as const;
const FOREIGN_KEY = 'FOREIGN KEY (SKU) REFERENCES products (SKU) ON DELETE CASCADE ON UPDATE CASCADE';

type Triggers = typeof OLD | typeof NEW;

/** Must run before the other triggers are dropped, so that no change is missed. */
async function makeTriggers(queryRunner: QueryRunner, [prefix, order]: Triggers): Promise<void> {
  for (const { name, sql } of await productTriggers(queryRunner, prefix, order))
    await createTrigger(queryRunner, name, sql);
}

async function dropTriggers(queryRunner: QueryRunner, [prefix, order]: Triggers): Promise<void> {
  for (const { name } of await productTriggers(queryRunner, prefix, order))
    await queryRunner.query(`DROP TRIGGER IF EXISTS ${name}`);
}

/** Each server chose the name of the foreign key itself. An interrupted migration may have dropped it already. */
async function dropReference(queryRunner: QueryRunner): Promise<void> {
  const found: { name: string }[] = await queryRunner.query(
    `SELECT CONSTRAINT_NAME AS name FROM information_schema.KEY_COLUMN_USAGE
     WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = 'product_documents' AND REFERENCED_TABLE_NAME IS NOT NULL`,
  );
  for (const { name } of found) await queryRunner.query(`ALTER TABLE product_documents DROP FOREIGN KEY \`${name}\``);
}

/** Recreates the table, because SQLite cannot drop a foreign key. Documents are rebuilt after the last migration. */
async function recreate(queryRunner: QueryRunner, reference = ''): Promise<void> {
  const { blob } = await dialectOf(queryRunner);
  await queryRunner.query('DROP TABLE IF EXISTS product_documents');
  await queryRunner.query(`CREATE TABLE product_documents (
  SKU varchar(64) NOT NULL PRIMARY KEY,
  Shape varchar(16) NOT NULL,
  Document ${blob} NOT NULL${reference}
)`);
}
