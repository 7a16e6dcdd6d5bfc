import { Entity } from 'typeorm';
import { Field, HiddenField } from '../resource/field.decorator.js';

/** An image of a product. */
@Entity('product_images')
export class ProductImage {
  @HiddenField({ type: 'varchar', length: 64, primary: true })
  SKU!: string;

  @Field({
    type: 'varchar',
    length: 255,
    primary: true,
    description: 'Identifier of the image.',
    example: 'PIR-1001-1',
  })
  ImageID!: string;

  @Field({ type: 'varchar', length: 2048, description: 'Name of the image file.', example: 'pir-1001_front.jpg' })
  FileName!: string | null;

  @Field({ type: 'boolean', onePer: 'SKU', description: 'Whether this is the main image.', example: true })
  IsPrimaryImage!: boolean | null;
}
