import { Entity } from 'typeorm';
import { Answered, Stored } from '../resource/field.decorator.js';

/** A reference from a product to one that can replace it, as stored: it may name a SKU that the customer cannot see. */
@Entity('product_substitutions')
export class ProductSubstitution {
  @Stored({ type: 'varchar', length: 64, primary: true })
  SKU!: string;

  @Answered({ type: 'varchar', length: 64, primary: true, meaning: 'SKU of the substitute.', example: 'PIR-1002-M' })
  SubstituteSKU!: string;
}
