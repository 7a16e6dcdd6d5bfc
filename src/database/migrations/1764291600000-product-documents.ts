import type { MigrationInterface, QueryRunner } from 'typeorm';
import { dialectOf } from './dialect.js';

/**
 * What answers are made of: a ready document for each product, and a version for each part, which changes with every
 * transaction that changes the part. Triggers see to both, so that it does not matter who writes: a document whose rows
 * change is deleted, and made again later. Our own imports, which do the same by the batch, turn them off on a server by
 * a session variable.
 *
 * Everybody takes rows first, then versions, then documents, so that nobody waits for a document who has a version that
 * its maker waits for. A document has no reference to its product for the same reason: it would lock that row last.
 */
export class ProductDocuments1764291600000 implements MigrationInterface {
  name = 'ProductDocuments1764291600000';

  async up(queryRunner: QueryRunner): Promise<void> {
    const { blob, tableOptions, newVersion } = await dialectOf(queryRunner);
    await queryRunner.query(`CREATE TABLE product_documents (
  SKU varchar(64) NOT NULL PRIMARY KEY,
  Shape varchar(16) NOT NULL,
  Document ${blob} NOT NULL
)${tableOptions}`);
    await queryRunner.query(`CREATE TABLE content_versions (
  Part varchar(16) NOT NULL,
  Code varchar(64) NOT NULL,
  Version varchar(36) NOT NULL,
  PRIMARY KEY (Part, Code)
)${tableOptions}`);
    for (const { name, sql } of await triggers(queryRunner)) await createTrigger(queryRunner, name, sql);
    // What is there already has a version from the beginning, or it would look the same as that of another database.
    for (const rows of [
      `'products', '', ${newVersion}`,
      ...CODES.map(({ part, code, table }) => `'${part}', ${code}, ${newVersion} FROM ${table}`),
    ])
      await queryRunner.query(`INSERT INTO content_versions (Part, Code, Version) SELECT ${rows}`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const { name } of await triggers(queryRunner)) await queryRunner.query(`DROP TRIGGER ${name}`);
    await queryRunner.query('DROP TABLE content_versions');
    await queryRunner.query('DROP TABLE product_documents');
  }
}

const PRODUCT_TABLES = [
  'products',
  'product_images',
  'product_accessories',
  'product_substitutions',
  'product_composition',
];

/** Of these tables the rows belong to the part that a code of theirs names. */
const CODED = [
  { table: 'prices', part: 'prices', code: 'PriceListCode' },
  { table: 'price_lists', part: 'prices', code: 'PriceListCode' },
  { table: 'stock', part: 'stock', code: 'WarehouseCode' },
  { table: 'warehouses', part: 'stock', code: 'WarehouseCode' },
];

/** Where all codes are. */
const CODES = CODED.filter(({ table }) => table === 'price_lists' || table === 'warehouses');

const SIDES = { INSERT: ['NEW'], UPDATE: ['OLD', 'NEW'], DELETE: ['OLD'] };

async function triggers(queryRunner: QueryRunner): Promise<{ name: string; sql: string }[]> {
  const { newVersion, overwriteVersion, trigger } = await dialectOf(queryRunner);
  const bump = (part: string, code: string) =>
    `INSERT INTO content_versions (Part, Code, Version) VALUES ('${part}', ${code}, ${newVersion}) ${overwriteVersion}`;
  return Object.entries(SIDES).flatMap(([event, sides]) => [
    ...PRODUCT_TABLES.map((table) => {
      const forget = sides.map((side) => `DELETE FROM product_documents WHERE SKU = ${side}.SKU`);
      // The version first: whoever waits for it must not have looked for documents before, since another makes them.
      return trigger(nameOf(table, event), event, table, [bump('products', "''"), ...forget]);
    }),
    ...CODED.map(({ table, part, code }) =>
      trigger(
        nameOf(table, event),
        event,
        table,
        sides.map((side) => bump(part, `${side}.${code}`)),
      ),
    ),
  ]);
}

const nameOf = (table: string, event: string) => `content_${table}_${event.toLowerCase()}`;

/** A server that logs for replicas lets only trusted accounts make triggers, unless it is told to trust all. */
async function createTrigger(queryRunner: QueryRunner, name: string, sql: string): Promise<void> {
  await queryRunner.query(sql).catch((error: Error) => {
    throw new Error(
      `Trigger ${name} cannot be made: ${error.message}. Migrate with an account that may (TRIGGER and SUPER), or set log_bin_trust_function_creators=1 on the server`,
      { cause: error },
    );
  });
}
