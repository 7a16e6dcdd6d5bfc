CREATE TABLE api_keys (
  ID integer PRIMARY KEY AUTOINCREMENT NOT NULL,
  CustomerCode varchar(64) NOT NULL,
  Label varchar(255),
  Digest varchar(64) NOT NULL,
  CreatedAt text NOT NULL,
  ExpiresAt text,
  RevokedAt text,
  FOREIGN KEY (CustomerCode) REFERENCES customers (CustomerCode) ON DELETE CASCADE
);

CREATE INDEX api_keys_CustomerCode ON api_keys (CustomerCode);

CREATE TABLE customers (
  CustomerCode varchar(64) NOT NULL PRIMARY KEY,
  CustomerName varchar(255),
  PriceListCode varchar(64),
  WarehouseCode varchar(64),
  DiscountPercentage text NOT NULL DEFAULT '0',
  RequestsPerMinute integer,
  RequestsPerHour integer,
  Active boolean NOT NULL DEFAULT 1,
  FOREIGN KEY (PriceListCode) REFERENCES price_lists (PriceListCode) ON DELETE RESTRICT,
  FOREIGN KEY (WarehouseCode) REFERENCES warehouses (WarehouseCode) ON DELETE RESTRICT
);

CREATE TABLE import_runs (
  ID varchar(36) NOT NULL PRIMARY KEY,
  StartedAt text NOT NULL,
  EndedAt text,
  StartedBy varchar(255) NOT NULL,
  Mode varchar(16) NOT NULL,
  Outcome varchar(16),
  Message text,
  Files text,
  Tables text
);

CREATE INDEX import_runs_StartedAt ON import_runs (StartedAt);

CREATE TABLE price_lists (
  PriceListCode varchar(64) NOT NULL PRIMARY KEY,
  PriceListName varchar(255),
  CurrencyCode varchar(3) NOT NULL
);

CREATE TABLE prices (
  PriceListCode varchar(64) NOT NULL,
  SKU varchar(64) NOT NULL,
  Price text NOT NULL,
  MOQ text,
  OrderMultiple text,
  DiscountEligible boolean NOT NULL,
  PRIMARY KEY (PriceListCode, SKU),
  FOREIGN KEY (PriceListCode) REFERENCES price_lists (PriceListCode) ON DELETE CASCADE,
  FOREIGN KEY (SKU) REFERENCES products (SKU) ON DELETE CASCADE
);

CREATE INDEX prices_SKU ON prices (SKU);

CREATE TABLE product_accessories (
  SKU varchar(64) NOT NULL,
  AccessorySKU varchar(64) NOT NULL,
  PRIMARY KEY (SKU, AccessorySKU),
  FOREIGN KEY (SKU) REFERENCES products (SKU) ON DELETE CASCADE
);

CREATE TABLE product_composition (
  SKU varchar(64) NOT NULL,
  MaterialCode varchar(64) NOT NULL,
  MaterialDescription varchar(255),
  CompositionPercentage text,
  PRIMARY KEY (SKU, MaterialCode),
  FOREIGN KEY (SKU) REFERENCES products (SKU) ON DELETE CASCADE
);

CREATE TABLE product_images (
  SKU varchar(64) NOT NULL,
  ImageID varchar(255) NOT NULL,
  FileName varchar(2048),
  IsPrimaryImage boolean,
  PRIMARY KEY (SKU, ImageID),
  FOREIGN KEY (SKU) REFERENCES products (SKU) ON DELETE CASCADE
);

CREATE TABLE product_substitutions (
  SKU varchar(64) NOT NULL,
  SubstituteSKU varchar(64) NOT NULL,
  PRIMARY KEY (SKU, SubstituteSKU),
  FOREIGN KEY (SKU) REFERENCES products (SKU) ON DELETE CASCADE
);

CREATE TABLE products (
  SKU varchar(64) NOT NULL PRIMARY KEY,
  Name varchar(255),
  Description text,
  WebsiteDescription text,
  ProductCategoryCode varchar(255),
  WashingInstructions text,
  Gender varchar(64),
  Audience varchar(64),
  MainColour varchar(64),
  Barcode varchar(64),
  Photo varchar(2048),
  Theme varchar(255),
  PackagedLength_in_cm text,
  PackagedWidth_in_cm text,
  PackagedHeight_in_cm text,
  PackagedWeight_in_g text,
  CartonLength_in_cm text,
  CartonWidth_in_cm text,
  CartonHeight_in_cm text,
  CartonWeight_in_g text,
  CartonQty integer,
  AmazonASIN varchar(64),
  CountryOfOrigin varchar(64),
  Status varchar(64),
  StyleCode varchar(64),
  CartonBarcode varchar(64),
  HSCode varchar(64),
  WhatsIncluded text,
  ProductCompositionText text
);

CREATE TABLE stock (
  WarehouseCode varchar(64) NOT NULL,
  SKU varchar(64) NOT NULL,
  AvailableQTY text NOT NULL,
  NextAvailableETA text,
  PRIMARY KEY (WarehouseCode, SKU),
  FOREIGN KEY (WarehouseCode) REFERENCES warehouses (WarehouseCode) ON DELETE CASCADE,
  FOREIGN KEY (SKU) REFERENCES products (SKU) ON DELETE CASCADE
);

CREATE INDEX stock_SKU ON stock (SKU);

CREATE TABLE warehouses (
  WarehouseCode varchar(64) NOT NULL PRIMARY KEY,
  WarehouseName varchar(255)
);
