import { DataModule } from '../endpoints/data-module.js';
import { StockEntry } from './stock-entry.entity.js';

@DataModule({
  path: '/stock',
  resource: StockEntry,
  // Interface §4, rule 2.
  isCacheable: false,
  tag: 'Stock',
  summary: 'Stock at the customer’s warehouse',
  description:
    'Quantities that can be ordered now, as they are at the time of the request, by SKU. A SKU without an element ' +
    'has no stock record; one with 0 has nothing to sell.',
})
export class StockModule {}
