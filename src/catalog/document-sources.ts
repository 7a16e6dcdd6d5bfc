import { ProductPrice } from '../pricing/product-price.entity.js';
import { arraysOf, type Resource } from '../resource/field.decorator.js';
import { Product } from './product.entity.js';

const SOURCES: ReadonlySet<Resource> = new Set([
  Product,
  ...arraysOf(Product)
    .map(({ resource }) => resource)
    .filter((resource) => resource !== ProductPrice),
]);

/** Whether the document of a product holds rows of this entity: the prices follow behind the document. */
export function isInDocument(entity: Resource): boolean {
  return SOURCES.has(entity);
}
