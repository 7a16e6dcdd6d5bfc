import { Entity } from 'typeorm';
import { Answered, Stored } from '../resource/field.decorator.js';

/** An image of a product. */
@Entity('product_images')
export class ProductImage {
  @Stored({ type: 'varchar', length: 64, primary: true })
  SKU!: string;

  @Answered({ type: 'varchar', length: 255, primary: true, meaning: 'Identifier of the image.', example: 'PIR-1001-1' })
  ImageID!: string;

  @Answered({ type: 'varchar', length: 2048, meaning: 'Name of the image file.', example: 'pir-1001_front.jpg' })
  FileName!: string | null;

  @Answered({ type: 'boolean', onePer: 'SKU', meaning: 'Whether this is the main image.', example: true })
  IsPrimaryImage!: boolean | null;
}
