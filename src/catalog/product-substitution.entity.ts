import { Entity } from 'typeorm';
import { Field, HiddenField } from '../resource/field.decorator.js';

/** A reference from a product to a substitute, as stored. It may name a SKU that the customer cannot see. */
@Entity('product_substitutions')
export class ProductSubstitution {
  @HiddenField({ type: 'varchar', length: 64, primary: true })
  SKU!: string;

  @Field({ type: 'varchar', length: 64, primary: true, description: 'SKU of the substitute.', example: 'PIR-1002-M' })
  SubstituteSKU!: string;
}
