import { ProductAccessory } from '../catalog/product-accessory.entity.js';
import { ProductComposition } from '../catalog/product-composition.entity.js';
import { ProductImage } from '../catalog/product-image.entity.js';
import { ProductSubstitution } from '../catalog/product-substitution.entity.js';
import { Product } from '../catalog/product.entity.js';
import { Customer } from '../customers/customer.entity.js';
import { PriceList } from '../pricing/price-list.entity.js';
import { ProductPrice } from '../pricing/product-price.entity.js';
import { tableOf } from '../resource/columns.js';
import { columnsOf, type Field, type Resource } from '../resource/field.decorator.js';
import { StockEntry } from '../stock/stock-entry.entity.js';
import { Warehouse } from '../stock/warehouse.entity.js';

/** A table that operators load, and its import file, which has the table's name and its columns as headers. */
export interface ImportTable {
  name: string;
  entity: Resource;
  columns: readonly Field[];
  /** Which of the columns make up its key. */
  key: readonly string[];
  /** Which columns name a row of another table, by that table's key; an empty cell names none. */
  references: Readonly<Record<string, ImportTable>>;
  /** The column within whose values, as far as a file names them, the file is the whole truth; none: in all of the table. */
  replacedWithin?: string;
}

function importTable(
  entity: Resource,
  references: Readonly<Record<string, ImportTable>> = {},
  replacedWithin?: string,
): ImportTable {
  const columns = columnsOf(entity);
  const key = columns.filter(({ primary }) => primary).map(({ name }) => name);
  return { name: tableOf(entity), entity, columns, key, references, replacedWithin };
}

const priceLists = importTable(PriceList);
const warehouses = importTable(Warehouse);
const products = importTable(Product);

/** Every import table, each behind those that it refers to. */
export const IMPORT_TABLES: readonly ImportTable[] = [
  priceLists,
  warehouses,
  products,
  importTable(ProductImage, { SKU: products }),
  importTable(ProductAccessory, { SKU: products }),
  importTable(ProductSubstitution, { SKU: products }),
  importTable(ProductComposition, { SKU: products }),
  importTable(ProductPrice, { PriceListCode: priceLists, SKU: products }, 'PriceListCode'),
  importTable(StockEntry, { WarehouseCode: warehouses, SKU: products }, 'WarehouseCode'),
  importTable(Customer, { PriceListCode: priceLists, WarehouseCode: warehouses }),
];

/** Whether rows of other tables refer to rows of this one. */
export function isReferredTo(table: ImportTable): boolean {
  return IMPORT_TABLES.some(({ references }) => Object.values(references).includes(table));
}
