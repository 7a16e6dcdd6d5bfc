import { DataModule } from '../endpoints/data-module.js';
import { StockEntry } from './stock-entry.entity.js';

@DataModule({
  path: '/stock',
  resource: StockEntry,
  // Stock is current at request time (interface §4, rule 2).
  isCacheable: false,
  tag: 'Stock',
  summary: 'Stock at the customer’s warehouse',
  description:
    'Quantities that can be ordered at the time of the request, ordered by SKU. A SKU without an element has no stock ' +
    'record. A SKU with a quantity of 0 is sold out.',
})
export class StockModule {}
