import type { QueryRunner } from 'typeorm';
import { dialectOf } from './dialect.js';

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
export const CODES = CODED.filter(({ table }) => table === 'price_lists' || table === 'warehouses');

const SIDES = { INSERT: ['NEW'], UPDATE: ['OLD', 'NEW'], DELETE: ['OLD'] };

/**
 * The triggers of the tables that answers are made of.
 * @param order in which those of product tables renew the version and delete documents
 */
export async function contentTriggers(
  queryRunner: QueryRunner,
  order: 'documents first' | 'version first',
): Promise<{ name: string; sql: string }[]> {
  const { newVersion, overwriteVersion, trigger } = await dialectOf(queryRunner);
  const bump = (part: string, code: string) =>
    `INSERT INTO content_versions (Part, Code, Version) VALUES ('${part}', ${code}, ${newVersion}) ${overwriteVersion}`;
  return Object.entries(SIDES).flatMap(([event, sides]) => [
    ...PRODUCT_TABLES.map((table) => {
      const forget = sides.map((side) => `DELETE FROM product_documents WHERE SKU = ${side}.SKU`);
      const renew = [bump('products', "''")];
      const statements = order === 'version first' ? [...renew, ...forget] : [...forget, ...renew];
      return trigger(nameOf(table, event), event, table, statements);
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
export async function createTrigger(queryRunner: QueryRunner, name: string, sql: string): Promise<void> {
  await queryRunner.query(sql).catch((error: Error) => {
    throw new Error(
      `Trigger ${name} cannot be made: ${error.message}. Migrate with an account that may (TRIGGER and SUPER), or set log_bin_trust_function_creators=1 on the server`,
      { cause: error },
    );
  });
}
