import { ProductAccessory } from '../catalog/product-accessory.entity.js';
import { ProductComposition } from '../catalog/product-composition.entity.js';
import { ProductImage } from '../catalog/product-image.entity.js';
import { ProductSubstitution } from '../catalog/product-substitution.entity.js';
import { Product } from '../catalog/product.entity.js';
import { Customer } from '../customers/customer.entity.js';
import { PriceList } from '../pricing/price-list.entity.js';
import { ProductPrice } from '../pricing/product-price.entity.js';
import type { Resource } from '../resource/field.decorator.js';
import { StockEntry } from '../stock/stock-entry.entity.js';
import { Warehouse } from '../stock/warehouse.entity.js';

/** A file that operators load: the rows of one entity, with its columns as headers. */
export interface ImportFile {
  name: string;
  entity: Resource;
  /** Which columns name a row of another entity, by that entity's key; an empty cell names none. */
  references: Readonly<Record<string, Resource>>;
}

/** Every import file, each behind those that it refers to. */
export const IMPORT_FILES: readonly ImportFile[] = [
  { name: 'price_lists.csv', entity: PriceList, references: {} },
  { name: 'warehouses.csv', entity: Warehouse, references: {} },
  { name: 'products.csv', entity: Product, references: {} },
  { name: 'product_images.csv', entity: ProductImage, references: { SKU: Product } },
  { name: 'product_accessories.csv', entity: ProductAccessory, references: { SKU: Product } },
  { name: 'product_substitutions.csv', entity: ProductSubstitution, references: { SKU: Product } },
  { name: 'product_composition.csv', entity: ProductComposition, references: { SKU: Product } },
  { name: 'prices.csv', entity: ProductPrice, references: { PriceListCode: PriceList, SKU: Product } },
  { name: 'stock.csv', entity: StockEntry, references: { WarehouseCode: Warehouse, SKU: Product } },
  { name: 'customers.csv', entity: Customer, references: { PriceListCode: PriceList, WarehouseCode: Warehouse } },
];
