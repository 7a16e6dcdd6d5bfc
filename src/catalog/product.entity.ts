import { Entity } from 'typeorm';
import { ProductPrice } from '../pricing/product-price.entity.js';
import { Field, Nested } from '../resource/field.decorator.js';
import { ProductAccessory } from './product-accessory.entity.js';
import { ProductComposition } from './product-composition.entity.js';
import { ProductImage } from './product-image.entity.js';
import { ProductSubstitution } from './product-substitution.entity.js';

/** One SKU: a row of `products`, and an element of `GET /products`. */
@Entity('products')
export class Product {
  @Field({
    type: 'varchar',
    length: 64,
    primary: true,
    required: true,
    description: 'Stable identifier of the product, the key for reconciliation.',
    example: 'PIR-1001-M',
  })
  SKU!: string;

  @Field({ type: 'varchar', length: 255, description: 'Display name.', example: 'Pirate captain coat, size M' })
  Name!: string | null;

  @Field({ type: 'text', description: 'Plain description.', example: 'Long coat with brass buttons.' })
  Description!: string | null;

  @Field({
    type: 'text',
    description: 'Description for web shops, may hold HTML.',
    example: '<p>Long coat with brass buttons.</p>',
  })
  WebsiteDescription!: string | null;

  @Field({
    type: 'varchar',
    length: 255,
    identifier: true,
    description: 'Code of the product category.',
    example: 'COSTUMES-ADULT',
  })
  ProductCategoryCode!: string | null;

  @Field({ type: 'text', description: 'Care instructions.', example: 'Hand wash only' })
  WashingInstructions!: string | null;

  @Field({ type: 'varchar', length: 64, description: 'Gender that the product is made for.', example: 'Unisex' })
  Gender!: string | null;

  @Field({ type: 'varchar', length: 64, description: 'Age group that the product is made for.', example: 'Adult' })
  Audience!: string | null;

  @Field({ type: 'varchar', length: 64, description: 'Main colour.', example: 'Red' })
  MainColour!: string | null;

  @Field({
    type: 'varchar',
    length: 64,
    identifier: true,
    description: 'Barcode of the single item.',
    example: '4006381333931',
  })
  Barcode!: string | null;

  @Field({
    type: 'varchar',
    length: 2048,
    description: 'URL of the main image.',
    example: 'https://cdn.example.com/pir-1001.jpg',
  })
  Photo!: string | null;

  @Field({ type: 'varchar', length: 255, description: 'Theme of the product.', example: 'Pirates' })
  Theme!: string | null;

  @Field({
    type: 'decimal',
    precision: 14,
    scale: 4,
    description: 'Length of the packaged item, in centimetres.',
    example: 32.5,
  })
  PackagedLength_in_cm!: string | null;

  @Field({
    type: 'decimal',
    precision: 14,
    scale: 4,
    description: 'Width of the packaged item, in centimetres.',
    example: 24,
  })
  PackagedWidth_in_cm!: string | null;

  @Field({
    type: 'decimal',
    precision: 14,
    scale: 4,
    description: 'Height of the packaged item, in centimetres.',
    example: 4.25,
  })
  PackagedHeight_in_cm!: string | null;

  @Field({
    type: 'decimal',
    precision: 14,
    scale: 4,
    description: 'Weight of the packaged item, in grams.',
    example: 480,
  })
  PackagedWeight_in_g!: string | null;

  @Field({
    type: 'decimal',
    precision: 14,
    scale: 4,
    description: 'Length of the carton, in centimetres.',
    example: 60,
  })
  CartonLength_in_cm!: string | null;

  @Field({ type: 'decimal', precision: 14, scale: 4, description: 'Width of the carton, in centimetres.', example: 40 })
  CartonWidth_in_cm!: string | null;

  @Field({
    type: 'decimal',
    precision: 14,
    scale: 4,
    description: 'Height of the carton, in centimetres.',
    example: 38.5,
  })
  CartonHeight_in_cm!: string | null;

  @Field({ type: 'decimal', precision: 14, scale: 4, description: 'Weight of the carton, in grams.', example: 12400 })
  CartonWeight_in_g!: string | null;

  @Field({ type: 'int', description: 'Items per carton.', example: 24 })
  CartonQty!: number | null;

  @Field({
    type: 'varchar',
    length: 64,
    identifier: true,
    description: 'Amazon Standard Identification Number.',
    example: 'B00EXAMPLE',
  })
  AmazonASIN!: string | null;

  @Field({
    type: 'varchar',
    length: 64,
    identifier: true,
    description: 'Country of origin, a short country code.',
    example: 'CN',
  })
  CountryOfOrigin!: string | null;

  @Field({
    type: 'varchar',
    length: 64,
    neededByNewRows: 'it decides whether customers see the product',
    description: 'Status; a product whose Status is exactly OBSOLETE is never answered.',
    example: 'ACTIVE',
  })
  Status!: string | null;

  @Field({
    type: 'varchar',
    length: 64,
    identifier: true,
    description: 'Code that the variants of one style share.',
    example: 'PIR-1001',
  })
  StyleCode!: string | null;

  @Field({
    type: 'varchar',
    length: 64,
    identifier: true,
    description: 'Barcode of the carton.',
    example: '14006381333938',
  })
  CartonBarcode!: string | null;

  @Field({ type: 'varchar', length: 64, identifier: true, description: 'Customs tariff code.', example: '95059000' })
  HSCode!: string | null;

  @Field({ type: 'text', description: 'What the package holds.', example: 'Coat and belt' })
  WhatsIncluded!: string | null;

  @Field({ type: 'text', description: 'Material composition in words.', example: '95 % polyester, 5 % elastane' })
  ProductCompositionText!: string | null;

  @Nested(ProductImage, 'COALESCE(IsPrimaryImage, 0) DESC, ImageID')
  ProductImages!: ProductImage[];

  @Nested(ProductAccessory, 'AccessorySKU')
  ProductAccessories!: ProductAccessory[];

  @Nested(ProductSubstitution, 'SubstituteSKU')
  ProductSubstitutions!: ProductSubstitution[];

  @Nested(ProductComposition, 'MaterialCode')
  ProductComposition!: ProductComposition[];

  /** Read with the product itself, see CatalogService: at most one, of the customer's price list. */
  @Nested(ProductPrice, 'PriceListCode')
  ProductPrices!: ProductPrice[];
}
