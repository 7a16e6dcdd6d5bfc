import { CatalogService } from '../catalog/catalog.service.js';
import { Product } from '../catalog/product.entity.js';
import { ProductPrice } from '../pricing/product-price.entity.js';
import { StockEntry } from '../stock/stock-entry.entity.js';
import type { DataEndpoint } from './data-endpoint.js';

/** Every data endpoint. Routes, schema endpoints, validators, the OpenAPI document and the lists of tests follow. */
export const DATA_ENDPOINTS: readonly DataEndpoint[] = [
  {
    path: '/products',
    resource: Product,
    source: CatalogService,
    tag: 'Products',
    summary: 'All products of the customer',
    description:
      'Every product of the price list that is not `OBSOLETE`, with its images, accessories, substitutions, ' +
      'composition and net price, by SKU. Many megabytes: read it as a stream. What is absent is gone.',
  },
  {
    path: '/stock',
    resource: StockEntry,
    // Interface §4, rule 2.
    isCacheable: false,
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
