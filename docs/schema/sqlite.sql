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

CREATE TABLE catalogue_findings (
  RuleName varchar(64) NOT NULL PRIMARY KEY,
  Findings integer NOT NULL,
  CheckedAt text NOT NULL
);

CREATE TABLE changed_skus (
  Part varchar(16) NOT NULL,
  Code varchar(64) NOT NULL,
  SKU varchar(64) NOT NULL,
  Counter integer NOT NULL,
  RemovedCounter integer,
  PRIMARY KEY (Part, Code, SKU)
);

CREATE INDEX changed_skus_Counter ON changed_skus (Part, Code, Counter);

CREATE TRIGGER content_versions_insert AFTER INSERT ON content_versions FOR EACH ROW BEGIN
UPDATE content_versions SET ChangedAt = strftime('%Y-%m-%d %H:%M:%f', 'now') WHERE Part = NEW.Part AND Code = NEW.Code; END;

CREATE TRIGGER content_versions_update AFTER UPDATE OF Version ON content_versions FOR EACH ROW
WHEN NEW.Version <> OLD.Version BEGIN
UPDATE content_versions SET ChangedAt = strftime('%Y-%m-%d %H:%M:%f', 'now') WHERE Part = NEW.Part AND Code = NEW.Code; END;

CREATE TABLE content_versions (
  Part varchar(16) NOT NULL,
  Code varchar(64) NOT NULL,
  Version varchar(36) NOT NULL, ChangedAt text, LoggedVersion varchar(36), Counter integer, FirstCounter integer,
  PRIMARY KEY (Part, Code)
);

CREATE TABLE customers (
  CustomerCode varchar(64) NOT NULL PRIMARY KEY,
  CustomerName varchar(255),
  PriceListCode varchar(64),
  WarehouseCode varchar(64),
  DiscountPercentage text NOT NULL DEFAULT '0',
  RequestsPerMinute integer,
  RequestsPerHour integer,
  Active boolean NOT NULL DEFAULT 1, DeactivatedAt text,
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
, PriceChanges text);

CREATE INDEX import_runs_StartedAt ON import_runs (StartedAt);

CREATE TABLE imported_files (
  TableName varchar(64) NOT NULL,
  Sha256 varchar(64) NOT NULL,
  LastImportedAt text NOT NULL,
  PRIMARY KEY (TableName, Sha256)
);

CREATE TABLE imported_tables (
  TableName varchar(64) NOT NULL PRIMARY KEY,
  ImportedAt text NOT NULL
);

CREATE TRIGGER content_price_lists_delete AFTER DELETE ON price_lists FOR EACH ROW BEGIN INSERT INTO content_versions (Part, Code, Version) VALUES ('prices', OLD.PriceListCode, lower(hex(randomblob(16)))) ON CONFLICT (Part, Code) DO UPDATE SET Version = excluded.Version; END;

CREATE TRIGGER content_price_lists_insert AFTER INSERT ON price_lists FOR EACH ROW BEGIN INSERT INTO content_versions (Part, Code, Version) VALUES ('prices', NEW.PriceListCode, lower(hex(randomblob(16)))) ON CONFLICT (Part, Code) DO UPDATE SET Version = excluded.Version; END;

CREATE TRIGGER content_price_lists_update AFTER UPDATE ON price_lists FOR EACH ROW BEGIN INSERT INTO content_versions (Part, Code, Version) VALUES ('prices', OLD.PriceListCode, lower(hex(randomblob(16)))) ON CONFLICT (Part, Code) DO UPDATE SET Version = excluded.Version; INSERT INTO content_versions (Part, Code, Version) VALUES ('prices', NEW.PriceListCode, lower(hex(randomblob(16)))) ON CONFLICT (Part, Code) DO UPDATE SET Version = excluded.Version; END;

CREATE TABLE price_lists (
  PriceListCode varchar(64) NOT NULL PRIMARY KEY,
  PriceListName varchar(255),
  CurrencyCode varchar(3) NOT NULL
);

CREATE TRIGGER content_prices_delete AFTER DELETE ON prices FOR EACH ROW BEGIN INSERT INTO content_versions (Part, Code, Version) VALUES ('prices', OLD.PriceListCode, lower(hex(randomblob(16)))) ON CONFLICT (Part, Code) DO UPDATE SET Version = excluded.Version; END;

CREATE TRIGGER content_prices_insert AFTER INSERT ON prices FOR EACH ROW BEGIN INSERT INTO content_versions (Part, Code, Version) VALUES ('prices', NEW.PriceListCode, lower(hex(randomblob(16)))) ON CONFLICT (Part, Code) DO UPDATE SET Version = excluded.Version; END;

CREATE TRIGGER content_prices_update AFTER UPDATE ON prices FOR EACH ROW BEGIN INSERT INTO content_versions (Part, Code, Version) VALUES ('prices', OLD.PriceListCode, lower(hex(randomblob(16)))) ON CONFLICT (Part, Code) DO UPDATE SET Version = excluded.Version; INSERT INTO content_versions (Part, Code, Version) VALUES ('prices', NEW.PriceListCode, lower(hex(randomblob(16)))) ON CONFLICT (Part, Code) DO UPDATE SET Version = excluded.Version; END;

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

CREATE TRIGGER renew_product_accessories_delete AFTER DELETE ON product_accessories FOR EACH ROW BEGIN INSERT INTO content_versions (Part, Code, Version) VALUES ('products', '', lower(hex(randomblob(16)))) ON CONFLICT (Part, Code) DO UPDATE SET Version = excluded.Version; DELETE FROM product_documents WHERE SKU = OLD.SKU; END;

CREATE TRIGGER renew_product_accessories_insert AFTER INSERT ON product_accessories FOR EACH ROW BEGIN INSERT INTO content_versions (Part, Code, Version) VALUES ('products', '', lower(hex(randomblob(16)))) ON CONFLICT (Part, Code) DO UPDATE SET Version = excluded.Version; DELETE FROM product_documents WHERE SKU = NEW.SKU; END;

CREATE TRIGGER renew_product_accessories_update AFTER UPDATE ON product_accessories FOR EACH ROW BEGIN INSERT INTO content_versions (Part, Code, Version) VALUES ('products', '', lower(hex(randomblob(16)))) ON CONFLICT (Part, Code) DO UPDATE SET Version = excluded.Version; DELETE FROM product_documents WHERE SKU = OLD.SKU; DELETE FROM product_documents WHERE SKU = NEW.SKU; END;

CREATE TABLE product_accessories (
  SKU varchar(64) NOT NULL,
  AccessorySKU varchar(64) NOT NULL,
  PRIMARY KEY (SKU, AccessorySKU),
  FOREIGN KEY (SKU) REFERENCES products (SKU) ON DELETE CASCADE
);

CREATE TRIGGER renew_product_composition_delete AFTER DELETE ON product_composition FOR EACH ROW BEGIN INSERT INTO content_versions (Part, Code, Version) VALUES ('products', '', lower(hex(randomblob(16)))) ON CONFLICT (Part, Code) DO UPDATE SET Version = excluded.Version; DELETE FROM product_documents WHERE SKU = OLD.SKU; END;

CREATE TRIGGER renew_product_composition_insert AFTER INSERT ON product_composition FOR EACH ROW BEGIN INSERT INTO content_versions (Part, Code, Version) VALUES ('products', '', lower(hex(randomblob(16)))) ON CONFLICT (Part, Code) DO UPDATE SET Version = excluded.Version; DELETE FROM product_documents WHERE SKU = NEW.SKU; END;

CREATE TRIGGER renew_product_composition_update AFTER UPDATE ON product_composition FOR EACH ROW BEGIN INSERT INTO content_versions (Part, Code, Version) VALUES ('products', '', lower(hex(randomblob(16)))) ON CONFLICT (Part, Code) DO UPDATE SET Version = excluded.Version; DELETE FROM product_documents WHERE SKU = OLD.SKU; DELETE FROM product_documents WHERE SKU = NEW.SKU; END;

CREATE TABLE product_composition (
  SKU varchar(64) NOT NULL,
  MaterialCode varchar(64) NOT NULL,
  MaterialDescription varchar(255),
  CompositionPercentage text,
  PRIMARY KEY (SKU, MaterialCode),
  FOREIGN KEY (SKU) REFERENCES products (SKU) ON DELETE CASCADE
);

CREATE TABLE product_documents (
  SKU varchar(64) NOT NULL PRIMARY KEY,
  Shape varchar(16) NOT NULL,
  Document blob NOT NULL
);

CREATE TRIGGER renew_product_images_delete AFTER DELETE ON product_images FOR EACH ROW BEGIN INSERT INTO content_versions (Part, Code, Version) VALUES ('products', '', lower(hex(randomblob(16)))) ON CONFLICT (Part, Code) DO UPDATE SET Version = excluded.Version; DELETE FROM product_documents WHERE SKU = OLD.SKU; END;

CREATE TRIGGER renew_product_images_insert AFTER INSERT ON product_images FOR EACH ROW BEGIN INSERT INTO content_versions (Part, Code, Version) VALUES ('products', '', lower(hex(randomblob(16)))) ON CONFLICT (Part, Code) DO UPDATE SET Version = excluded.Version; DELETE FROM product_documents WHERE SKU = NEW.SKU; END;

CREATE TRIGGER renew_product_images_update AFTER UPDATE ON product_images FOR EACH ROW BEGIN INSERT INTO content_versions (Part, Code, Version) VALUES ('products', '', lower(hex(randomblob(16)))) ON CONFLICT (Part, Code) DO UPDATE SET Version = excluded.Version; DELETE FROM product_documents WHERE SKU = OLD.SKU; DELETE FROM product_documents WHERE SKU = NEW.SKU; END;

CREATE TABLE product_images (
  SKU varchar(64) NOT NULL,
  ImageID varchar(255) NOT NULL,
  FileName varchar(2048),
  IsPrimaryImage boolean,
  PRIMARY KEY (SKU, ImageID),
  FOREIGN KEY (SKU) REFERENCES products (SKU) ON DELETE CASCADE
);

CREATE TRIGGER renew_product_substitutions_delete AFTER DELETE ON product_substitutions FOR EACH ROW BEGIN INSERT INTO content_versions (Part, Code, Version) VALUES ('products', '', lower(hex(randomblob(16)))) ON CONFLICT (Part, Code) DO UPDATE SET Version = excluded.Version; DELETE FROM product_documents WHERE SKU = OLD.SKU; END;

CREATE TRIGGER renew_product_substitutions_insert AFTER INSERT ON product_substitutions FOR EACH ROW BEGIN INSERT INTO content_versions (Part, Code, Version) VALUES ('products', '', lower(hex(randomblob(16)))) ON CONFLICT (Part, Code) DO UPDATE SET Version = excluded.Version; DELETE FROM product_documents WHERE SKU = NEW.SKU; END;

CREATE TRIGGER renew_product_substitutions_update AFTER UPDATE ON product_substitutions FOR EACH ROW BEGIN INSERT INTO content_versions (Part, Code, Version) VALUES ('products', '', lower(hex(randomblob(16)))) ON CONFLICT (Part, Code) DO UPDATE SET Version = excluded.Version; DELETE FROM product_documents WHERE SKU = OLD.SKU; DELETE FROM product_documents WHERE SKU = NEW.SKU; END;

CREATE TABLE product_substitutions (
  SKU varchar(64) NOT NULL,
  SubstituteSKU varchar(64) NOT NULL,
  PRIMARY KEY (SKU, SubstituteSKU),
  FOREIGN KEY (SKU) REFERENCES products (SKU) ON DELETE CASCADE
);

CREATE TRIGGER renew_products_delete AFTER DELETE ON products FOR EACH ROW BEGIN INSERT INTO content_versions (Part, Code, Version) VALUES ('products', '', lower(hex(randomblob(16)))) ON CONFLICT (Part, Code) DO UPDATE SET Version = excluded.Version; DELETE FROM product_documents WHERE SKU = OLD.SKU; END;

CREATE TRIGGER renew_products_insert AFTER INSERT ON products FOR EACH ROW BEGIN INSERT INTO content_versions (Part, Code, Version) VALUES ('products', '', lower(hex(randomblob(16)))) ON CONFLICT (Part, Code) DO UPDATE SET Version = excluded.Version; DELETE FROM product_documents WHERE SKU = NEW.SKU; END;

CREATE TRIGGER renew_products_update AFTER UPDATE ON products FOR EACH ROW BEGIN INSERT INTO content_versions (Part, Code, Version) VALUES ('products', '', lower(hex(randomblob(16)))) ON CONFLICT (Part, Code) DO UPDATE SET Version = excluded.Version; DELETE FROM product_documents WHERE SKU = OLD.SKU; DELETE FROM product_documents WHERE SKU = NEW.SKU; END;

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

CREATE INDEX products_eligibility ON products (SKU, Status);

CREATE TRIGGER content_stock_delete AFTER DELETE ON stock FOR EACH ROW BEGIN INSERT INTO content_versions (Part, Code, Version) VALUES ('stock', OLD.WarehouseCode, lower(hex(randomblob(16)))) ON CONFLICT (Part, Code) DO UPDATE SET Version = excluded.Version; END;

CREATE TRIGGER content_stock_insert AFTER INSERT ON stock FOR EACH ROW BEGIN INSERT INTO content_versions (Part, Code, Version) VALUES ('stock', NEW.WarehouseCode, lower(hex(randomblob(16)))) ON CONFLICT (Part, Code) DO UPDATE SET Version = excluded.Version; END;

CREATE TRIGGER content_stock_update AFTER UPDATE ON stock FOR EACH ROW BEGIN INSERT INTO content_versions (Part, Code, Version) VALUES ('stock', OLD.WarehouseCode, lower(hex(randomblob(16)))) ON CONFLICT (Part, Code) DO UPDATE SET Version = excluded.Version; INSERT INTO content_versions (Part, Code, Version) VALUES ('stock', NEW.WarehouseCode, lower(hex(randomblob(16)))) ON CONFLICT (Part, Code) DO UPDATE SET Version = excluded.Version; END;

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

CREATE TABLE terms_changes (
  ID integer PRIMARY KEY AUTOINCREMENT NOT NULL,
  ChangedAt text NOT NULL,
  Subject varchar(16) NOT NULL,
  Code varchar(64) NOT NULL,
  OldValues text,
  NewValues text,
  DatabaseAccount varchar(255),
  ChangedBy varchar(255) NOT NULL,
  ImportID varchar(36)
);

CREATE INDEX terms_changes_ChangedAt ON terms_changes (ChangedAt);

CREATE INDEX terms_changes_Code ON terms_changes (Code, ChangedAt);

CREATE TABLE version_history (
  Part varchar(16) NOT NULL,
  Code varchar(64) NOT NULL,
  Version varchar(36) NOT NULL,
  Counter integer NOT NULL,
  SupersededAt text,
  PRIMARY KEY (Part, Code, Version)
);

CREATE INDEX version_history_SupersededAt ON version_history (SupersededAt);

CREATE TRIGGER content_warehouses_delete AFTER DELETE ON warehouses FOR EACH ROW BEGIN INSERT INTO content_versions (Part, Code, Version) VALUES ('stock', OLD.WarehouseCode, lower(hex(randomblob(16)))) ON CONFLICT (Part, Code) DO UPDATE SET Version = excluded.Version; END;

CREATE TRIGGER content_warehouses_insert AFTER INSERT ON warehouses FOR EACH ROW BEGIN INSERT INTO content_versions (Part, Code, Version) VALUES ('stock', NEW.WarehouseCode, lower(hex(randomblob(16)))) ON CONFLICT (Part, Code) DO UPDATE SET Version = excluded.Version; END;

CREATE TRIGGER content_warehouses_update AFTER UPDATE ON warehouses FOR EACH ROW BEGIN INSERT INTO content_versions (Part, Code, Version) VALUES ('stock', OLD.WarehouseCode, lower(hex(randomblob(16)))) ON CONFLICT (Part, Code) DO UPDATE SET Version = excluded.Version; INSERT INTO content_versions (Part, Code, Version) VALUES ('stock', NEW.WarehouseCode, lower(hex(randomblob(16)))) ON CONFLICT (Part, Code) DO UPDATE SET Version = excluded.Version; END;

CREATE TABLE warehouses (
  WarehouseCode varchar(64) NOT NULL PRIMARY KEY,
  WarehouseName varchar(255)
);
