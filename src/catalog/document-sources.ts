import { ProductPrice } from '../pricing/product-price.entity.js';
import { arraysOf, type Resource } from '../resource/field.decorator.js';
import { Product } from './product.entity.js';

const SOURCES: ReadonlySet<Resource> = new Set([
  Product,
  ...arraysOf(Product)
    .map(({ resource }) => resource)
    .filter((resource) => resource !== ProductPrice),
]);

/** Whether product documents contain rows of this entity. They contain no prices: prices follow the document. */
export function isInDocument(entity: Resource): boolean {
  return SOURCES.has(entity);
}
