import { Entity } from 'typeorm';
import { Field, Computed, HiddenField } from '../resource/field.decorator.js';
import { netPrice } from './net-price.js';

/** Nobody can order none of a product, or less. */
const QUANTITY = { type: 'decimal', precision: 14, scale: 4, min: 0.0001 } as const;

/** The price of one SKU on one price list: a row of `prices`, an element of `GET /prices` and of ProductPrices. */
@Entity('prices')
export class ProductPrice {
  @Field({
    type: 'varchar',
    length: 64,
    primary: true,
    description: 'Assigned price list.',
    example: 'EUR-A',
    // Only its entries are read.
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
    description: 'Product the price is for.',
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
    description: 'Order increment; ordered quantities must be multiples of it.',
    example: 6,
  })
  OrderMultiple!: string | null;

  /** List price, before any discount; never answered. */
  @HiddenField({ type: 'decimal', precision: 18, scale: 4, nullable: false, min: 0 })
  Price!: string;

  /** Whether a customer's discount applies to this entry; never answered. */
  @HiddenField({ type: 'boolean', nullable: false })
  DiscountEligible!: boolean;
}
