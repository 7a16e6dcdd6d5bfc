import { Entity } from 'typeorm';
import { Answered, Computed, Stored } from '../resource/field.decorator.js';
import { netPrice } from './net-price.js';

/** Nobody can order none of a product, or less. */
const QUANTITY = { type: 'decimal', precision: 14, scale: 4, min: 0.0001 } as const;

/** The price of one SKU on one price list: a row of `prices`, an element of `GET /prices` and of ProductPrices. */
@Entity('prices')
export class ProductPrice {
  @Answered({
    type: 'varchar',
    length: 64,
    primary: true,
    meaning: 'Assigned price list.',
    example: 'EUR-A',
    // Only its entries are read.
    ofScope: ({ priceList }) => priceList?.code,
  })
  PriceListCode!: string;

  @Computed({
    type: 'varchar',
    length: 255,
    meaning: 'Display name of the price list.',
    example: 'Euro wholesale',
    ofScope: ({ priceList }) => priceList?.name,
  })
  PriceListName!: string | null;

  @Computed({
    type: 'varchar',
    length: 3,
    nullable: false,
    meaning: 'Currency of the price, an ISO 4217 code.',
    example: 'EUR',
    ofScope: ({ priceList }) => priceList?.currencyCode,
  })
  CurrencyCode!: string;

  @Answered({
    type: 'varchar',
    length: 64,
    primary: true,
    required: true,
    meaning: 'Product the price is for.',
    example: 'PIR-1001-M',
  })
  SKU!: string;

  @Computed({
    type: 'decimal',
    fixedScale: 4,
    nullable: false,
    meaning: 'Net unit price without VAT, discount applied where eligible.',
    example: 19.95,
    value: ({ Price, DiscountEligible }, { discountPercentage }) =>
      netPrice(String(Price), DiscountEligible ? discountPercentage : '0'),
  })
  PriceExclVAT!: string;

  @Answered({ ...QUANTITY, meaning: 'Minimum order quantity.', example: 6 })
  MOQ!: string | null;

  @Answered({
    ...QUANTITY,
    meaning: 'Order increment; ordered quantities must be multiples of it.',
    example: 6,
  })
  OrderMultiple!: string | null;

  /** List price, before any discount; never answered. */
  @Stored({ type: 'decimal', precision: 18, scale: 4, nullable: false, min: 0 })
  Price!: string;

  /** Whether a customer's discount applies to this entry; never answered. */
  @Stored({ type: 'boolean', nullable: false })
  DiscountEligible!: boolean;
}
