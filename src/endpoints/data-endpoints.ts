import type { Type } from '@nestjs/common';
import { CatalogModule } from '../catalog/catalog.module.js';
import { PricingModule } from '../pricing/pricing.module.js';
import { StockModule } from '../stock/stock.module.js';
import type { DataEndpoint } from './data-endpoint.js';
import { endpointOf } from './data-module.js';

/** Every module with a data endpoint. Routes, schemas, the OpenAPI document and test lists derive from this list. */
export const DATA_MODULES: readonly Type[] = [
  // The OpenAPI document uses this order.
  CatalogModule,
  StockModule,
  PricingModule,
];

/** The endpoints that these modules declare. */
export const DATA_ENDPOINTS: readonly DataEndpoint[] = DATA_MODULES.map(endpointOf);
