import { isInDocument } from '../catalog/document-sources.js';
import { ProductAccessory } from '../catalog/product-accessory.entity.js';
import { ProductComposition } from '../catalog/product-composition.entity.js';
import { ProductImage } from '../catalog/product-image.entity.js';
import { ProductSubstitution } from '../catalog/product-substitution.entity.js';
import { Product } from '../catalog/product.entity.js';
import { Customer } from '../customers/customer.entity.js';
import { PriceList } from '../pricing/price-list.entity.js';
import { ProductPrice } from '../pricing/product-price.entity.js';
import { tableOf } from '../resource/columns.js';
import { columnsOf, type FieldDeclaration, type Resource } from '../resource/field.decorator.js';
import { StockEntry } from '../stock/stock-entry.entity.js';
import { Warehouse } from '../stock/warehouse.entity.js';
import { isDivision } from '../scope/customer-scope.js';
import { divisionOf, type PartName } from '../versions/content-parts.js';

/** A table that operators load. Its import file has the same name, and the columns as headers. */
export interface ImportTable {
  name: string;
  entity: Resource;
  columns: readonly FieldDeclaration[];
  /**
   * The content part of its rows: a change of a row renews the version of this part. null: responses show no row of the
   * table, or the `ETag` contains everything that they show, as for customers.
   */
  part: PartName | null;
  /** The column that divides the content part into versions; undefined: the part has one version. */
  division?: string;
  /** Whether responses show its rows only through the customer's terms, which are part of the `ETag`. */
  inTerms: boolean;
  /** Whether the stored product documents contain its rows. */
  inDocument: boolean;
  /** Names of the key columns. */
  key: readonly string[];
  /** For each column that references rows by their key, the table of these rows. A null value references no row. */
  references: Readonly<Record<string, ImportTable>>;
  /** `--replace` removes only rows whose value in this column occurs in the file; undefined: it removes any row. */
  replacedWithin?: string;
}

function importTable(
  entity: Resource,
  part: PartName | null,
  references: Readonly<Record<string, ImportTable>> = {},
  replacedWithin?: string,
): ImportTable {
  const [name, columns] = [tableOf(entity), columnsOf(entity)];
  const key = columns.filter(({ primary }) => primary).map(({ name: column }) => column);
  const division = part ? divisionOf(part) : undefined;
  // An import removes rows by key, so the key must contain the column that determines the version to renew.
  if (division && !key.includes(division))
    throw new Error(`${name} cannot belong to the content part ${part}: add ${division} to its key`);
  const uses = { inTerms: entity === PriceList, inDocument: isInDocument(entity) };
  return { name, entity, columns, part, division, ...uses, key, references, replacedWithin };
}

const priceLists = importTable(PriceList, 'prices');
const warehouses = importTable(Warehouse, 'stock');
const products = importTable(Product, 'products');

/** All import tables. Each table follows the tables that it references. */
export const IMPORT_TABLES: readonly ImportTable[] = [
  priceLists,
  warehouses,
  products,
  importTable(ProductImage, 'products', { SKU: products }),
  importTable(ProductAccessory, 'products', { SKU: products }),
  importTable(ProductSubstitution, 'products', { SKU: products }),
  importTable(ProductComposition, 'products', { SKU: products }),
  importTable(ProductPrice, 'prices', { PriceListCode: priceLists, SKU: products }, 'PriceListCode'),
  importTable(StockEntry, 'stock', { WarehouseCode: warehouses, SKU: products }, 'WarehouseCode'),
  importTable(Customer, null, { PriceListCode: priceLists, WarehouseCode: warehouses }),
];

/** Whether each customer sees at most one row for each SKU, and always the same one of them. */
export function hasOneRowPerSku({ key, columns }: ImportTable): boolean {
  const divisions = columns.map(({ name }) => name).filter(isDivision);
  // The value of a column outside the key may change, and the row then moves from one customer to another.
  return (
    divisions.every((column) => key.includes(column)) && key.filter((column) => !isDivision(column)).join() === 'SKU'
  );
}

/** Whether another table references this one. */
export function isReferenced(table: ImportTable): boolean {
  return IMPORT_TABLES.some(({ references }) => Object.values(references).includes(table));
}

/** The import table of an entity; undefined if it has none. */
export function importTableOf(entity: Resource): ImportTable | undefined {
  return IMPORT_TABLES.find((table) => table.entity === entity);
}
