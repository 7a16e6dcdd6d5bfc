import { DataModule } from '../endpoints/data-module.js';
import { ProductPrice } from './product-price.entity.js';

@DataModule({
  path: '/prices',
  resource: ProductPrice,
  tag: 'Prices',
  summary: 'Net prices of the customer',
  description: 'One element for each SKU of `/products`, ordered by SKU. It equals the element in `ProductPrices`.',
})
export class PricingModule {}
