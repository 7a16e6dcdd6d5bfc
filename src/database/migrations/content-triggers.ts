import type { QueryRunner } from 'typeorm';
import { IMPORT_TABLES, type ImportTable } from '../../import/import-tables.js';
import { type Dialect, dialectOf } from './dialect.js';
import { createTable } from './schema-steps.js';

// Do not change these two lists: the migrations of the first releases use them. Later migrations create their tables with
// `createImportTable`.

const PRODUCT_TABLES = [
  'products',
  'product_images',
  'product_accessories',
  'product_substitutions',
  'product_composition',
];

/** Tables whose rows belong to a divided part. The column `code` of a row selects its version. */
const CODED = [
  { table: 'prices', part: 'prices', code: 'PriceListCode' },
  { table: 'price_lists', part: 'prices', code: 'PriceListCode' },
  { table: 'stock', part: 'stock', code: 'WarehouseCode' },
  { table: 'warehouses', part: 'stock', code: 'WarehouseCode' },
];

/** The tables that have a row for each code. */
export const CODES = CODED.filter(({ table }) => table === 'price_lists' || table === 'warehouses');

const SIDES: Readonly<Record<string, readonly ('OLD' | 'NEW')[]>> = {
  INSERT: ['NEW'],
  UPDATE: ['OLD', 'NEW'],
  DELETE: ['OLD'],
};

interface Trigger {
  name: string;
  sql: string;
}

/**
 * Returns the triggers of the tables whose rows are in product documents.
 * @param prefix the beginning of the triggers' names
 * @param order the order in which the triggers renew the version and delete documents
 */
export async function productTriggers(
  queryRunner: QueryRunner,
  prefix: string,
  order: 'documents first' | 'version first',
): Promise<Trigger[]> {
  const dialect = await dialectOf(queryRunner);
  return Object.keys(SIDES).flatMap((event) => {
    const [versions, documents] = [renewals(dialect, event, 'products'), removals(event)];
    const statements = order === 'version first' ? [...versions, ...documents] : [...documents, ...versions];
    return PRODUCT_TABLES.map((table) => dialect.trigger(nameOf(prefix, table, event), event, table, statements));
  });
}

/** Returns the triggers of the other tables that responses read. */
export async function codedTriggers(queryRunner: QueryRunner): Promise<Trigger[]> {
  const dialect = await dialectOf(queryRunner);
  return Object.keys(SIDES).flatMap((event) =>
    CODED.map(({ table, part, code }) =>
      dialect.trigger(nameOf('content', table, event), event, table, renewals(dialect, event, part, code)),
    ),
  );
}

/**
 * Creates an import table unless it exists, with the triggers of its declaration in `import-tables.ts`. A table without a
 * declaration gets no triggers, because a later release may have dropped the table and its declaration.
 * @param definitions the columns, primary key and foreign keys
 */
export async function createImportTable(
  queryRunner: QueryRunner,
  name: string,
  ...definitions: readonly string[]
): Promise<void> {
  await createTable(queryRunner, name, ...definitions);
  const declared = IMPORT_TABLES.find((table) => table.name === name);
  if (!declared) return;
  for (const trigger of triggersOf(await dialectOf(queryRunner), declared))
    await createTrigger(queryRunner, trigger.name, trigger.sql);
}

/** Returns the triggers of an import table. Like an import, they renew versions first and delete documents afterwards. */
export function triggersOf(dialect: Dialect, { name, part, division, inDocument }: ImportTable): Trigger[] {
  return Object.keys(SIDES).flatMap((event) => {
    const versions = part ? renewals(dialect, event, part, division) : [];
    const statements = [...versions, ...(inDocument ? removals(event) : [])];
    return statements.length ? dialect.trigger(nameOf('content', name, event), event, name, statements) : [];
  });
}

/** @param division the column that selects the version of a row. Undefined if the part has one version. */
function renewals(dialect: Dialect, event: string, part: string, division?: string): string[] {
  if (!division) return [bump(dialect, part, "''")];
  return SIDES[event]!.map((side) => bump(dialect, part, `${side}.${division}`));
}

function removals(event: string): string[] {
  return SIDES[event]!.map((side) => `DELETE FROM product_documents WHERE SKU = ${side}.SKU`);
}

function bump({ newVersion, overwriteVersion }: Dialect, part: string, code: string): string {
  return `INSERT INTO content_versions (Part, Code, Version) VALUES ('${part}', ${code}, ${newVersion}) ${overwriteVersion}`;
}

const nameOf = (prefix: string, table: string, event: string) => `${prefix}_${table}_${event.toLowerCase()}`;

/** Creates a trigger. @param sql needs IF NOT EXISTS, so that migrations can repeat it @throws an error with the name */
export async function createTrigger(queryRunner: QueryRunner, name: string, sql: string): Promise<void> {
  await queryRunner.query(sql).catch((error: Error) => {
    throw new Error(`The trigger ${name} cannot be created: ${error.message}`, { cause: error });
  });
}
