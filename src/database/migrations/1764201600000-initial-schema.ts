import type { MigrationInterface, QueryRunner } from 'typeorm';
import { dialectOf } from './dialect.js';
import { createIndex, createTable } from './schema-steps.js';

/**
 * Creates the tables of the first release. Columns have exactly the names of the interface and of the import files.
 *
 * Deleting a product, a price list or a warehouse also deletes the rows that reference it. A price list or warehouse that
 * a customer uses cannot be deleted. Accessories and substitutions may name a SKU that does not exist (decision 6).
 */
export class InitialSchema1764201600000 implements MigrationInterface {
  name = 'InitialSchema1764201600000';

  async up(queryRunner: QueryRunner): Promise<void> {
    const { decimal, date, timestamp, serial } = await dialectOf(queryRunner);
    const create = (table: string, ...definitions: string[]) => createTable(queryRunner, table, ...definitions);
    await create(
      'products',
      'SKU varchar(64) NOT NULL PRIMARY KEY',
      'Name varchar(255)',
      'Description text',
      'WebsiteDescription text',
      'ProductCategoryCode varchar(255)',
      'WashingInstructions text',
      'Gender varchar(64)',
      'Audience varchar(64)',
      'MainColour varchar(64)',
      'Barcode varchar(64)',
      'Photo varchar(2048)',
      'Theme varchar(255)',
      `PackagedLength_in_cm ${decimal(14, 4)}`,
      `PackagedWidth_in_cm ${decimal(14, 4)}`,
      `PackagedHeight_in_cm ${decimal(14, 4)}`,
      `PackagedWeight_in_g ${decimal(14, 4)}`,
      `CartonLength_in_cm ${decimal(14, 4)}`,
      `CartonWidth_in_cm ${decimal(14, 4)}`,
      `CartonHeight_in_cm ${decimal(14, 4)}`,
      `CartonWeight_in_g ${decimal(14, 4)}`,
      'CartonQty integer',
      'AmazonASIN varchar(64)',
      'CountryOfOrigin varchar(64)',
      'Status varchar(64)',
      'StyleCode varchar(64)',
      'CartonBarcode varchar(64)',
      'HSCode varchar(64)',
      'WhatsIncluded text',
      'ProductCompositionText text',
    );
    await create(
      'product_images',
      'SKU varchar(64) NOT NULL',
      'ImageID varchar(255) NOT NULL',
      'FileName varchar(2048)',
      'IsPrimaryImage boolean',
      'PRIMARY KEY (SKU, ImageID)',
      references('SKU', 'products', 'CASCADE'),
    );
    await create(
      'product_accessories',
      'SKU varchar(64) NOT NULL',
      'AccessorySKU varchar(64) NOT NULL',
      'PRIMARY KEY (SKU, AccessorySKU)',
      references('SKU', 'products', 'CASCADE'),
    );
    await create(
      'product_substitutions',
      'SKU varchar(64) NOT NULL',
      'SubstituteSKU varchar(64) NOT NULL',
      'PRIMARY KEY (SKU, SubstituteSKU)',
      references('SKU', 'products', 'CASCADE'),
    );
    await create(
      'product_composition',
      'SKU varchar(64) NOT NULL',
      'MaterialCode varchar(64) NOT NULL',
      'MaterialDescription varchar(255)',
      `CompositionPercentage ${decimal(7, 4)}`,
      'PRIMARY KEY (SKU, MaterialCode)',
      references('SKU', 'products', 'CASCADE'),
    );
    await create(
      'price_lists',
      'PriceListCode varchar(64) NOT NULL PRIMARY KEY',
      'PriceListName varchar(255)',
      'CurrencyCode varchar(3) NOT NULL',
    );
    await create(
      'prices',
      'PriceListCode varchar(64) NOT NULL',
      'SKU varchar(64) NOT NULL',
      `Price ${decimal(18, 4)} NOT NULL`,
      `MOQ ${decimal(14, 4)}`,
      `OrderMultiple ${decimal(14, 4)}`,
      'DiscountEligible boolean NOT NULL',
      'PRIMARY KEY (PriceListCode, SKU)',
      references('PriceListCode', 'price_lists', 'CASCADE'),
      references('SKU', 'products', 'CASCADE'),
    );
    await create('warehouses', 'WarehouseCode varchar(64) NOT NULL PRIMARY KEY', 'WarehouseName varchar(255)');
    await create(
      'stock',
      'WarehouseCode varchar(64) NOT NULL',
      'SKU varchar(64) NOT NULL',
      `AvailableQTY ${decimal(18, 4)} NOT NULL`,
      `NextAvailableETA ${date}`,
      'PRIMARY KEY (WarehouseCode, SKU)',
      references('WarehouseCode', 'warehouses', 'CASCADE'),
      references('SKU', 'products', 'CASCADE'),
    );
    await create(
      'customers',
      'CustomerCode varchar(64) NOT NULL PRIMARY KEY',
      'CustomerName varchar(255)',
      'PriceListCode varchar(64)',
      'WarehouseCode varchar(64)',
      `DiscountPercentage ${decimal(7, 4)} NOT NULL DEFAULT '0'`,
      'RequestsPerMinute integer',
      'RequestsPerHour integer',
      'Active boolean NOT NULL DEFAULT 1',
      references('PriceListCode', 'price_lists', 'RESTRICT'),
      references('WarehouseCode', 'warehouses', 'RESTRICT'),
    );
    await create(
      'api_keys',
      `ID ${serial}`,
      'CustomerCode varchar(64) NOT NULL',
      'Label varchar(255)',
      'Digest varchar(64) NOT NULL',
      `CreatedAt ${timestamp} NOT NULL`,
      `ExpiresAt ${timestamp}`,
      `RevokedAt ${timestamp}`,
      references('CustomerCode', 'customers', 'CASCADE'),
    );
    // InnoDB creates these indexes for foreign keys itself. Without them, SQLite scans a table for each deleted product.
    for (const [table, column] of [
      ['prices', 'SKU'],
      ['stock', 'SKU'],
      ['api_keys', 'CustomerCode'],
    ] as const)
      await createIndex(queryRunner, table, `${table}_${column}`, [column]);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const table of TABLES.toReversed()) await queryRunner.query(`DROP TABLE ${table}`);
  }
}

const references = (column: string, table: string, onDelete: string) =>
  `FOREIGN KEY (${column}) REFERENCES ${table} (${column}) ON DELETE ${onDelete}`;

const TABLES = [
  'products',
  'product_images',
  'product_accessories',
  'product_substitutions',
  'product_composition',
  'price_lists',
  'prices',
  'warehouses',
  'stock',
  'customers',
  'api_keys',
];
