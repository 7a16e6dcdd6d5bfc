import { Entity } from 'typeorm';
import { Answered, Stored } from '../resource/field.decorator.js';

/** The share of one material in a product. */
@Entity('product_composition')
export class ProductComposition {
  @Stored({ type: 'varchar', length: 64, primary: true })
  SKU!: string;

  @Answered({ type: 'varchar', length: 64, primary: true, meaning: 'Code of the material.', example: 'PES' })
  MaterialCode!: string;

  @Answered({ type: 'varchar', length: 255, meaning: 'Name of the material.', example: 'Polyester' })
  MaterialDescription!: string | null;

  @Answered({
    type: 'decimal',
    precision: 7,
    scale: 4,
    min: 0,
    max: 100,
    meaning: 'Share of the material, in percent.',
    example: 95,
  })
  CompositionPercentage!: string | null;
}
