import { Entity } from 'typeorm';
import { Field, Computed, HiddenField } from '../resource/field.decorator.js';

/** The stock of one SKU at one warehouse: a row of `stock`, and an element of `GET /stock`. */
@Entity('stock')
export class StockEntry {
  @HiddenField({ type: 'varchar', length: 64, primary: true })
  WarehouseCode!: string;

  @Field({
    type: 'varchar',
    length: 64,
    primary: true,
    required: true,
    description: 'Product code. GET /products always returns this product.',
    example: 'PIR-1001-M',
  })
  SKU!: string;

  @Computed({
    type: 'varchar',
    length: 64,
    nullable: false,
    description: 'Code of the warehouse.',
    example: 'EU01',
    fromScope: ({ warehouseCode }) => warehouseCode,
  })
  StockLocation!: string;

  @Field({
    type: 'decimal',
    precision: 18,
    scale: 4,
    nullable: false,
    description: 'Quantity available to order now.',
    example: 120,
    // Oversold stock is stored as a negative quantity, and returned as 0.
    value: ({ AvailableQTY }) => (String(AvailableQTY).startsWith('-') ? '0' : AvailableQTY),
  })
  AvailableQTY!: string;

  @Field({
    type: 'date',
    description: 'Expected next availability. It is null if no date is known.',
    example: '2027-01-15',
  })
  NextAvailableETA!: string | null;
}
