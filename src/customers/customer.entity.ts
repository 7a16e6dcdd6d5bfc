import { Column, Entity } from 'typeorm';
import { Stored } from '../resource/field.decorator.js';

/** A customer and its terms. */
@Entity('customers')
export class Customer {
  @Stored({
    type: 'varchar',
    length: 64,
    primary: true,
    pattern: {
      test: (code) => /^[A-Za-z0-9._-]{1,64}$/.test(code),
      says: 'a code of 1 to 64 letters, digits, dots, dashes and underscores',
    },
  })
  CustomerCode!: string;

  @Stored({ type: 'varchar', length: 255 })
  CustomerName!: string | null;

  @Stored({ type: 'varchar', length: 64, identifier: true })
  PriceListCode!: string | null;

  @Stored({ type: 'varchar', length: 64, identifier: true })
  WarehouseCode!: string | null;

  /** 0 to 100. */
  @Stored({ type: 'decimal', precision: 7, scale: 4, nullable: false, min: 0, max: 100 })
  DiscountPercentage!: string;

  /** Requests admitted per minute; null: the default limit. */
  @Stored({ type: 'int', min: 1 })
  RequestsPerMinute!: number | null;

  /** Requests admitted per hour; null: the default limit. */
  @Stored({ type: 'int', min: 1 })
  RequestsPerHour!: number | null;

  /** An operator's switch, no column of the import file. An inactive customer gets no token, and no data for tokens it still has. */
  @Column({ type: 'boolean', default: true })
  Active!: boolean;
}
