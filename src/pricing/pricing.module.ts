import { DataModule } from '../endpoints/data-module.js';
import { ProductPrice } from './product-price.entity.js';

@DataModule({
  path: '/prices',
  resource: ProductPrice,
  tag: 'Prices',
  summary: 'Net prices of the customer',
  description: 'One element for each SKU of `/products`, the same as its `ProductPrices`, by SKU.',
})
export class PricingModule {}
