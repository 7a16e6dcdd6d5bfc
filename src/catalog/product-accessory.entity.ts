import { Entity } from 'typeorm';
import { Answered, Stored } from '../resource/field.decorator.js';

/** A reference from a product to one that goes with it, as stored: it may name a SKU that the customer cannot see. */
@Entity('product_accessories')
export class ProductAccessory {
  @Stored({ type: 'varchar', length: 64, primary: true })
  SKU!: string;

  @Answered({ type: 'varchar', length: 64, primary: true, meaning: 'SKU of the accessory.', example: 'PIR-2001' })
  AccessorySKU!: string;
}
