/** A field as interface §2 describes it. */
export interface Field {
  /** Its type in a schema. */
  type: 'string' | 'integer' | 'decimal' | 'boolean' | 'date';
  nullable: boolean;
  /** Whether a value is within the limit of docs/decisions.md#37. The value of a number is its text. */
  fits: (value: string) => boolean;
}

/** The fields of a resource by name, in the order of the contract. */
export type Fields = Readonly<Record<string, Field>>;

const text = (mostCharacters: number): Field => ({
  type: 'string',
  nullable: true,
  fits: (value) => [...value].length <= mostCharacters,
});
const longText: Field = { type: 'string', nullable: true, fits: (value) => Buffer.byteLength(value) <= 65_535 };
const decimal = (digits: number): Field => ({
  type: 'decimal',
  nullable: true,
  fits: (value) => new RegExp(`^-?\\d{1,${digits}}(\\.\\d{1,4})?$`).test(value),
});
const integer: Field = { type: 'integer', nullable: true, fits: (value) => /^-?\d{1,9}$/.test(value) };
const boolean: Field = { type: 'boolean', nullable: true, fits: () => true };
const date: Field = { type: 'date', nullable: true, fits: (value) => value.length === 10 };
const notNull = (field: Field): Field => ({ ...field, nullable: false });

/** §2.1: the scalar fields. */
export const PRODUCT: Fields = {
  SKU: notNull(text(64)),
  Name: text(255),
  Description: longText,
  WebsiteDescription: longText,
  ProductCategoryCode: text(255),
  WashingInstructions: longText,
  Gender: text(64),
  Audience: text(64),
  MainColour: text(64),
  Barcode: text(64),
  Photo: text(2048),
  Theme: text(255),
  PackagedLength_in_cm: decimal(10),
  PackagedWidth_in_cm: decimal(10),
  PackagedHeight_in_cm: decimal(10),
  PackagedWeight_in_g: decimal(10),
  CartonLength_in_cm: decimal(10),
  CartonWidth_in_cm: decimal(10),
  CartonHeight_in_cm: decimal(10),
  CartonWeight_in_g: decimal(10),
  CartonQty: integer,
  AmazonASIN: text(64),
  CountryOfOrigin: text(64),
  Status: text(64),
  StyleCode: text(64),
  CartonBarcode: text(64),
  HSCode: text(64),
  WhatsIncluded: longText,
  ProductCompositionText: longText,
};

/** §2.2 */
const IMAGE: Fields = { ImageID: notNull(text(255)), FileName: text(2048), IsPrimaryImage: boolean };

/** §2.3 */
const ACCESSORY: Fields = { AccessorySKU: notNull(text(64)) };

/** §2.4 */
const SUBSTITUTION: Fields = { SubstituteSKU: notNull(text(64)) };

/** §2.5 */
const COMPOSITION: Fields = {
  MaterialCode: notNull(text(64)),
  MaterialDescription: text(255),
  CompositionPercentage: decimal(3),
};

/** §2.6 */
export const PRICE: Fields = {
  PriceListCode: notNull(text(64)),
  PriceListName: text(255),
  CurrencyCode: notNull(text(3)),
  SKU: notNull(text(64)),
  PriceExclVAT: notNull(decimal(14)),
  MOQ: decimal(10),
  OrderMultiple: decimal(10),
};

/** §2.7 */
export const STOCK: Fields = {
  SKU: notNull(text(64)),
  StockLocation: notNull(text(64)),
  AvailableQTY: notNull(decimal(14)),
  NextAvailableETA: date,
};

/** The nested arrays of a product by name, in the order of the contract. */
export const ARRAYS: Readonly<Record<string, Fields>> = {
  ProductImages: IMAGE,
  ProductAccessories: ACCESSORY,
  ProductSubstitutions: SUBSTITUTION,
  ProductComposition: COMPOSITION,
  ProductPrices: PRICE,
};
