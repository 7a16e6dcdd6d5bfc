import { Entity } from 'typeorm';
import { Field, HiddenField } from '../resource/field.decorator.js';

/** A reference from a product to an accessory, as stored. It may name a SKU that the customer cannot see. */
@Entity('product_accessories')
export class ProductAccessory {
  @HiddenField({ type: 'varchar', length: 64, primary: true })
  SKU!: string;

  @Field({ type: 'varchar', length: 64, primary: true, description: 'SKU of the accessory.', example: 'PIR-2001' })
  AccessorySKU!: string;
}
