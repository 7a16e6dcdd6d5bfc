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

/** A table that operators load, and its import file, which has the table's name and its columns as headers. */
export interface ImportTable {
  name: string;
  entity: Resource;
  columns: readonly FieldDeclaration[];
  /**
   * The part of the content that its rows belong to: a change of a row renews the version of that part. null: responses
   * show no row, or the `ETag` names all that they show, as it does of customers.
   */
  part: PartName | null;
  /** The column that says which version of the part a row belongs to; undefined: the part has one version. */
  division?: string;
  /** Whether responses show its rows through the customer's terms only. The `ETag` names the terms. */
  inTerms: boolean;
  /** Whether the stored documents of products hold its rows. */
  inDocument: boolean;
  /** Which of the columns make up its key. */
  key: readonly string[];
  /** Which columns name a row of another table, by that table's key; an empty cell names none. */
  references: Readonly<Record<string, ImportTable>>;
  /** The column within whose values, as far as a file names them, the file is the whole truth; none: in all of the table. */
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
  // An import removes rows by their key alone, and has to know which version that renews.
  if (division && !key.includes(division))
    throw new Error(`${name} cannot belong to the part ${part}: its key has no ${division}`);
  const uses = { inTerms: entity === PriceList, inDocument: isInDocument(entity) };
  return { name, entity, columns, part, division, ...uses, key, references, replacedWithin };
}

const priceLists = importTable(PriceList, 'prices');
const warehouses = importTable(Warehouse, 'stock');
const products = importTable(Product, 'products');

/** Every import table, each behind those that it refers to. */
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

/** Whether rows of other tables refer to rows of this one. */
export function isReferredTo(table: ImportTable): boolean {
  return IMPORT_TABLES.some(({ references }) => Object.values(references).includes(table));
}

/** The import table of an entity; undefined: it has none. */
export function importTableOf(entity: Resource): ImportTable | undefined {
  return IMPORT_TABLES.find((table) => table.entity === entity);
}
