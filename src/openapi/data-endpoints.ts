import { Product } from '../catalog/product.entity.js';
import { ProductPrice } from '../pricing/product-price.entity.js';
import type { Resource } from '../resource/field.decorator.js';
import { StockEntry } from '../stock/stock-entry.entity.js';

/** An endpoint that answers all elements of one resource, with its schema endpoint. */
export interface DataEndpoint {
  path: string;
  resource: Resource;
  /** Chapter of the document, and end of the ids of its operations. */
  tag: string;
  summary: string;
  description: string;
}

/** All of them. */
export const DATA: readonly DataEndpoint[] = [
  {
    path: '/products',
    resource: Product,
    tag: 'Products',
    summary: 'All products of the customer',
    description:
      'Every product of the price list that is not `OBSOLETE`, with its images, accessories, substitutions, ' +
      'composition and net price, by SKU. Many megabytes: read it as a stream. What is absent is gone.',
  },
  {
    path: '/stock',
    resource: StockEntry,
    tag: 'Stock',
    summary: 'Stock at the customer’s warehouse',
    description:
      'Quantities that can be ordered now, as they are at the time of the request, by SKU. A SKU without an element ' +
      'has no stock record; one with 0 has nothing to sell.',
  },
  {
    path: '/prices',
    resource: ProductPrice,
    tag: 'Prices',
    summary: 'Net prices of the customer',
    description: 'One element for each SKU of `/products`, the same as its `ProductPrices`, by SKU.',
  },
];
