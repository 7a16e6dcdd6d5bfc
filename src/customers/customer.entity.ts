import { Column, Entity } from 'typeorm';
import { HiddenField } from '../resource/field.decorator.js';

const CODE = /^[A-Za-z0-9._-]{1,64}$/;

/** Whether the value is a Customer Code (docs/decisions.md#19). */
export function isCustomerCode(value: unknown): boolean {
  return typeof value === 'string' && CODE.test(value);
}

/** A customer and its terms. */
@Entity('customers')
export class Customer {
  @HiddenField({
    type: 'varchar',
    length: 64,
    primary: true,
    pattern: {
      test: isCustomerCode,
      expected: 'a code of 1 to 64 letters, digits, dots, dashes and underscores',
    },
  })
  CustomerCode!: string;

  @HiddenField({ type: 'varchar', length: 255 })
  CustomerName!: string | null;

  @HiddenField({ type: 'varchar', length: 64, identifier: true })
  PriceListCode!: string | null;

  @HiddenField({ type: 'varchar', length: 64, identifier: true })
  WarehouseCode!: string | null;

  /** Discount in percent, 0 to 100. */
  @HiddenField({ type: 'decimal', precision: 7, scale: 4, nullable: false, min: 0, max: 100 })
  DiscountPercentage!: string;

  /** Maximum number of requests per minute; null: the default limit. */
  @HiddenField({ type: 'int', min: 1 })
  RequestsPerMinute!: number | null;

  /** Maximum number of requests per hour; null: the default limit. */
  @HiddenField({ type: 'int', min: 1 })
  RequestsPerHour!: number | null;

  /** The operator sets it. It is not part of the import file. An inactive customer gets neither tokens nor data. */
  @Column({ type: 'boolean', default: true })
  Active!: boolean;

  /** The time of the latest deactivation. Tokens that were issued before it remain invalid. */
  @Column({ type: 'datetime', precision: 3, nullable: true })
  DeactivatedAt!: Date | null;
}
