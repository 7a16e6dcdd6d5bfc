import type { FieldDeclaration } from '../../src/resource/field.decorator.js';
import { IMPORT_TABLES, type ImportTable } from '../../src/import/import-tables.js';
import type { TestDatabase } from './test-service.js';

/** The codes of the price list and the warehouse whose rows are added. */
type Codes = Readonly<Record<'PriceListCode' | 'WarehouseCode', string>>;

/**
 * Inserts a row for each product into each import table that is empty and has a SKU. The tables of new arrays and
 * endpoints then have rows, although no test names them.
 */
export async function fillEmptyTables(database: TestDatabase, codes: Codes): Promise<void> {
  for (const table of IMPORT_TABLES)
    if (hasSku(table) && (await isEmpty(database, table))) await fill(database, table, codes);
}

const hasSku = ({ key }: ImportTable) => key.includes('SKU');

async function isEmpty(database: TestDatabase, { name }: ImportTable): Promise<boolean> {
  return (await database.sql(`SELECT 1 FROM ${name} LIMIT 1`)).length === 0;
}

async function fill(database: TestDatabase, { name, columns }: ImportTable, codes: Codes): Promise<void> {
  const filled = columns.filter(({ primary, nullable = true }) => primary || !nullable);
  const names = filled.map((column) => column.name);
  const values = filled.map((column) => valueFor(column, codes));
  await database.sql(`INSERT INTO ${name} (${names.join()}) SELECT ${values.join()} FROM products`);
}

/** A valid value of the column in SQL. */
function valueFor({ name, type }: FieldDeclaration, codes: Codes): string {
  if (name === 'SKU') return 'SKU';
  if (name in codes) return `'${codes[name as keyof Codes]}'`;
  return { date: `'2027-01-15'`, datetime: `'2027-01-15 00:00:00'` }[type as string] ?? `'1'`;
}
