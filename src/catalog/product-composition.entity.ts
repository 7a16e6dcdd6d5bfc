import { Entity } from 'typeorm';
import { Field, HiddenField } from '../resource/field.decorator.js';

/** The share of one material in a product. */
@Entity('product_composition')
export class ProductComposition {
  @HiddenField({ type: 'varchar', length: 64, primary: true })
  SKU!: string;

  @Field({ type: 'varchar', length: 64, primary: true, description: 'Code of the material.', example: 'PES' })
  MaterialCode!: string;

  @Field({ type: 'varchar', length: 255, description: 'Name of the material.', example: 'Polyester' })
  MaterialDescription!: string | null;

  @Field({
    type: 'decimal',
    precision: 7,
    scale: 4,
    min: 0,
    max: 100,
    description: 'Share of the material, in percent.',
    example: 95,
  })
  CompositionPercentage!: string | null;
}
