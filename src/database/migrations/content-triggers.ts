import type { QueryRunner } from 'typeorm';
import { type Dialect, dialectOf } from './dialect.js';

// Migrations that have run build on this: what they get must stay as it is. Another table names itself.

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

interface Trigger {
  name: string;
  sql: string;
}

/**
 * The triggers of the tables that documents are made of.
 * @param prefix of their names
 * @param order in which they renew the version and delete documents
 * @param tables those of the first release, unless named
 */
export async function productTriggers(
  queryRunner: QueryRunner,
  prefix: string,
  order: 'documents first' | 'version first',
  tables: readonly string[] = PRODUCT_TABLES,
): Promise<Trigger[]> {
  const dialect = await dialectOf(queryRunner);
  const renew = [bump(dialect, 'products', "''")];
  return Object.entries(SIDES).flatMap(([event, sides]) => {
    const forget = sides.map((side) => `DELETE FROM product_documents WHERE SKU = ${side}.SKU`);
    const statements = order === 'version first' ? [...renew, ...forget] : [...forget, ...renew];
    return tables.map((table) => dialect.trigger(nameOf(prefix, table, event), event, table, statements));
  });
}

/** The triggers of the other tables that answers are made of. */
export async function codedTriggers(queryRunner: QueryRunner): Promise<Trigger[]> {
  const dialect = await dialectOf(queryRunner);
  return Object.entries(SIDES).flatMap(([event, sides]) =>
    CODED.map(({ table, part, code }) => {
      const statements = sides.map((side) => bump(dialect, part, `${side}.${code}`));
      return dialect.trigger(nameOf('content', table, event), event, table, statements);
    }),
  );
}

function bump({ newVersion, overwriteVersion }: Dialect, part: string, code: string): string {
  return `INSERT INTO content_versions (Part, Code, Version) VALUES ('${part}', ${code}, ${newVersion}) ${overwriteVersion}`;
}

const nameOf = (prefix: string, table: string, event: string) => `${prefix}_${table}_${event.toLowerCase()}`;

/** Creates a trigger. @param sql with IF NOT EXISTS, so that the migration is repeatable @throws with the name */
export async function createTrigger(queryRunner: QueryRunner, name: string, sql: string): Promise<void> {
  await queryRunner.query(sql).catch((error: Error) => {
    throw new Error(`The trigger ${name} cannot be created: ${error.message}`, { cause: error });
  });
}
