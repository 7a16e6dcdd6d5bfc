import type { MigrationInterface, QueryRunner } from 'typeorm';
import { contentTriggers, createTrigger } from './content-triggers.js';
import { dialectOf } from './dialect.js';

/**
 * Triggers renew the version of the products before they delete a document. Everybody takes rows first, then versions,
 * then documents: who waits for a version must not have looked for documents before, since another one makes them. For
 * the same reason a document has no reference to its product: it would lock that row last.
 */
export class VersionBeforeDocuments1764464400000 implements MigrationInterface {
  name = 'VersionBeforeDocuments1764464400000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await replaceTriggers(queryRunner, 'version first');
    if (onServer(queryRunner)) await queryRunner.query(`ALTER TABLE product_documents DROP FOREIGN KEY ${REFERENCE}`);
    else await recreate(queryRunner);
    // What the old order may have left behind, or somebody wrote between two triggers. All are made again after this.
    const { newVersion } = await dialectOf(queryRunner);
    await queryRunner.query(`UPDATE content_versions SET Version = ${newVersion}`);
    await queryRunner.query('DELETE FROM product_documents');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    if (onServer(queryRunner)) {
      await queryRunner.query('DELETE FROM product_documents WHERE SKU NOT IN (SELECT SKU FROM products)');
      await queryRunner.query(`ALTER TABLE product_documents ADD CONSTRAINT ${REFERENCE} ${FOREIGN_KEY}`);
    } else await recreate(queryRunner, `,\n  ${FOREIGN_KEY}`);
    await replaceTriggers(queryRunner, 'documents first');
  }
}

/** As both servers named it. */
const REFERENCE = 'product_documents_ibfk_1';
const FOREIGN_KEY = 'FOREIGN KEY (SKU) REFERENCES products (SKU) ON DELETE CASCADE ON UPDATE CASCADE';

const onServer = (queryRunner: QueryRunner) => queryRunner.dataSource.options.type === 'mysql';

async function replaceTriggers(queryRunner: QueryRunner, order: Parameters<typeof contentTriggers>[1]): Promise<void> {
  for (const { name, sql } of await contentTriggers(queryRunner, order)) {
    await queryRunner.query(`DROP TRIGGER IF EXISTS ${name}`);
    await createTrigger(queryRunner, name, sql);
  }
}

/** SQLite changes no references. The documents go along, and are made again when all is migrated. */
async function recreate(queryRunner: QueryRunner, reference = ''): Promise<void> {
  const { blob } = await dialectOf(queryRunner);
  await queryRunner.query('DROP TABLE product_documents');
  await queryRunner.query(`CREATE TABLE product_documents (
  SKU varchar(64) NOT NULL PRIMARY KEY,
  Shape varchar(16) NOT NULL,
  Document ${blob} NOT NULL${reference}
)`);
}
