import type { QueryRunner } from 'typeorm';
import { IMPORT_TABLES, type ImportTable } from '../../import/import-tables.js';
import { type Dialect, dialectOf } from './dialect.js';
import { createTable } from './schema-steps.js';

// The migrations of the first releases build on these two lists, which must stay as they are. Later migrations create
// their tables by `createImportTable`.

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
 * The triggers of the tables that documents are made of.
 * @param prefix of their names
 * @param order in which they renew the version and delete documents
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

/** The triggers of the other tables that answers are made of. */
export async function codedTriggers(queryRunner: QueryRunner): Promise<Trigger[]> {
  const dialect = await dialectOf(queryRunner);
  return Object.keys(SIDES).flatMap((event) =>
    CODED.map(({ table, part, code }) =>
      dialect.trigger(nameOf('content', table, event), event, table, renewals(dialect, event, part, code)),
    ),
  );
}

/**
 * Creates a table that operators import, unless it exists, with the triggers of its declaration in `import-tables.ts`.
 * Without a declaration it gets none: a later release may have dropped the table and its declaration.
 * @param definitions of its columns, primary key and foreign keys
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

/** The triggers of an import table. They renew versions first, and then delete documents, as an import does. */
export function triggersOf(dialect: Dialect, { name, part, division, inDocument }: ImportTable): Trigger[] {
  return Object.keys(SIDES).flatMap((event) => {
    const versions = part ? renewals(dialect, event, part, division) : [];
    const statements = [...versions, ...(inDocument ? removals(event) : [])];
    return statements.length ? dialect.trigger(nameOf('content', name, event), event, name, statements) : [];
  });
}

/** @param division the column that says which version a row belongs to; undefined: the part has one */
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

/** Creates a trigger. @param sql with IF NOT EXISTS, so that the migration is repeatable @throws with the name */
export async function createTrigger(queryRunner: QueryRunner, name: string, sql: string): Promise<void> {
  await queryRunner.query(sql).catch((error: Error) => {
    throw new Error(`The trigger ${name} cannot be created: ${error.message}`, { cause: error });
  });
}
