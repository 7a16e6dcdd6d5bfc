import { Entity } from 'typeorm';
import { Field, Computed, HiddenField } from '../resource/field.decorator.js';
import { netPrice } from './net-price.js';

/** Options of an order quantity. Quantities of zero or less cannot be ordered. */
const QUANTITY = { type: 'decimal', precision: 14, scale: 4, min: 0.0001 } as const;

/** The price of one SKU on one price list: a row of `prices`, and an element of `GET /prices` and `ProductPrices`. */
@Entity('prices')
export class ProductPrice {
  @Field({
    type: 'varchar',
    length: 64,
    primary: true,
    description: 'Assigned price list.',
    example: 'EUR-A',
    // Only entries of the customer's price list are read.
    fromScope: ({ priceList }) => priceList?.code,
  })
  PriceListCode!: string;

  @Computed({
    type: 'varchar',
    length: 255,
    description: 'Display name of the price list.',
    example: 'Euro wholesale',
    fromScope: ({ priceList }) => priceList?.name,
  })
  PriceListName!: string | null;

  @Computed({
    type: 'varchar',
    length: 3,
    nullable: false,
    description: 'Currency of the price, an ISO 4217 code.',
    example: 'EUR',
    fromScope: ({ priceList }) => priceList?.currencyCode,
  })
  CurrencyCode!: string;

  @Field({
    type: 'varchar',
    length: 64,
    primary: true,
    required: true,
    description: 'Product that the price applies to.',
    example: 'PIR-1001-M',
  })
  SKU!: string;

  @Computed({
    type: 'decimal',
    fixedScale: 4,
    nullable: false,
    description: 'Net unit price without VAT, discount applied where eligible.',
    example: 19.95,
    value: ({ Price, DiscountEligible }, { discountPercentage }) =>
      netPrice(String(Price), DiscountEligible ? discountPercentage : '0'),
  })
  PriceExclVAT!: string;

  @Field({ ...QUANTITY, description: 'Minimum order quantity.', example: 6 })
  MOQ!: string | null;

  @Field({
    ...QUANTITY,
    description: 'Order increment. Ordered quantities must be multiples of it.',
    example: 6,
  })
  OrderMultiple!: string | null;

  /** List price before any discount. It is never returned. */
  @HiddenField({ type: 'decimal', precision: 18, scale: 4, nullable: false, min: 0 })
  Price!: string;

  /** Whether the customer's discount applies to this entry. It is never returned. */
  @HiddenField({ type: 'boolean', nullable: false })
  DiscountEligible!: boolean;
}
