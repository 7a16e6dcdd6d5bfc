CREATE TABLE `api_keys` (
  `ID` int(11) NOT NULL AUTO_INCREMENT,
  `CustomerCode` varchar(64) NOT NULL,
  `Label` varchar(255) DEFAULT NULL,
  `Digest` varchar(64) NOT NULL,
  `CreatedAt` datetime(3) NOT NULL,
  `ExpiresAt` datetime(3) DEFAULT NULL,
  `RevokedAt` datetime(3) DEFAULT NULL,
  PRIMARY KEY (`ID`),
  KEY `api_keys_CustomerCode` (`CustomerCode`),
  CONSTRAINT `api_keys_ibfk_1` FOREIGN KEY (`CustomerCode`) REFERENCES `customers` (`CustomerCode`) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `catalogue_findings` (
  `RuleName` varchar(64) NOT NULL,
  `Findings` int(11) NOT NULL,
  `CheckedAt` datetime(3) NOT NULL,
  PRIMARY KEY (`RuleName`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `changed_skus` (
  `Part` varchar(16) NOT NULL,
  `Code` varchar(64) NOT NULL,
  `SKU` varchar(64) NOT NULL,
  `Counter` int(11) NOT NULL,
  `RemovedCounter` int(11) DEFAULT NULL,
  PRIMARY KEY (`Part`,`Code`,`SKU`),
  KEY `changed_skus_Counter` (`Part`,`Code`,`Counter`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `content_versions` (
  `Part` varchar(16) NOT NULL,
  `Code` varchar(64) NOT NULL,
  `Version` varchar(36) NOT NULL,
  `ChangedAt` datetime(3) DEFAULT NULL,
  `LoggedVersion` varchar(36) DEFAULT NULL,
  `Counter` int(11) DEFAULT NULL,
  `FirstCounter` int(11) DEFAULT NULL,
  PRIMARY KEY (`Part`,`Code`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `customers` (
  `CustomerCode` varchar(64) NOT NULL,
  `CustomerName` varchar(255) DEFAULT NULL,
  `PriceListCode` varchar(64) DEFAULT NULL,
  `WarehouseCode` varchar(64) DEFAULT NULL,
  `DiscountPercentage` decimal(7,4) NOT NULL DEFAULT 0.0000,
  `RequestsPerMinute` int(11) DEFAULT NULL,
  `RequestsPerHour` int(11) DEFAULT NULL,
  `Active` tinyint(1) NOT NULL DEFAULT 1,
  `DeactivatedAt` datetime(3) DEFAULT NULL,
  PRIMARY KEY (`CustomerCode`),
  KEY `PriceListCode` (`PriceListCode`),
  KEY `WarehouseCode` (`WarehouseCode`),
  CONSTRAINT `customers_ibfk_1` FOREIGN KEY (`PriceListCode`) REFERENCES `price_lists` (`PriceListCode`),
  CONSTRAINT `customers_ibfk_2` FOREIGN KEY (`WarehouseCode`) REFERENCES `warehouses` (`WarehouseCode`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `import_runs` (
  `ID` varchar(36) NOT NULL,
  `StartedAt` datetime(3) NOT NULL,
  `EndedAt` datetime(3) DEFAULT NULL,
  `StartedBy` varchar(255) NOT NULL,
  `Mode` varchar(16) NOT NULL,
  `Outcome` varchar(16) DEFAULT NULL,
  `Message` text DEFAULT NULL,
  `Files` text DEFAULT NULL,
  `Tables` text DEFAULT NULL,
  `PriceChanges` text DEFAULT NULL,
  PRIMARY KEY (`ID`),
  KEY `import_runs_StartedAt` (`StartedAt`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `imported_files` (
  `TableName` varchar(64) NOT NULL,
  `Sha256` varchar(64) NOT NULL,
  `LastImportedAt` datetime(3) NOT NULL,
  PRIMARY KEY (`TableName`,`Sha256`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `imported_tables` (
  `TableName` varchar(64) NOT NULL,
  `ImportedAt` datetime(3) NOT NULL,
  PRIMARY KEY (`TableName`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `price_lists` (
  `PriceListCode` varchar(64) NOT NULL,
  `PriceListName` varchar(255) DEFAULT NULL,
  `CurrencyCode` varchar(3) NOT NULL,
  PRIMARY KEY (`PriceListCode`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `prices` (
  `PriceListCode` varchar(64) NOT NULL,
  `SKU` varchar(64) NOT NULL,
  `Price` decimal(18,4) NOT NULL,
  `MOQ` decimal(14,4) DEFAULT NULL,
  `OrderMultiple` decimal(14,4) DEFAULT NULL,
  `DiscountEligible` tinyint(1) NOT NULL,
  PRIMARY KEY (`PriceListCode`,`SKU`),
  KEY `prices_SKU` (`SKU`),
  CONSTRAINT `prices_ibfk_1` FOREIGN KEY (`PriceListCode`) REFERENCES `price_lists` (`PriceListCode`) ON DELETE CASCADE,
  CONSTRAINT `prices_ibfk_2` FOREIGN KEY (`SKU`) REFERENCES `products` (`SKU`) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `product_accessories` (
  `SKU` varchar(64) NOT NULL,
  `AccessorySKU` varchar(64) NOT NULL,
  PRIMARY KEY (`SKU`,`AccessorySKU`),
  CONSTRAINT `product_accessories_ibfk_1` FOREIGN KEY (`SKU`) REFERENCES `products` (`SKU`) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `product_composition` (
  `SKU` varchar(64) NOT NULL,
  `MaterialCode` varchar(64) NOT NULL,
  `MaterialDescription` varchar(255) DEFAULT NULL,
  `CompositionPercentage` decimal(7,4) DEFAULT NULL,
  PRIMARY KEY (`SKU`,`MaterialCode`),
  CONSTRAINT `product_composition_ibfk_1` FOREIGN KEY (`SKU`) REFERENCES `products` (`SKU`) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `product_documents` (
  `SKU` varchar(64) NOT NULL,
  `Shape` varchar(16) NOT NULL,
  `Document` mediumblob NOT NULL,
  PRIMARY KEY (`SKU`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `product_images` (
  `SKU` varchar(64) NOT NULL,
  `ImageID` varchar(255) NOT NULL,
  `FileName` varchar(2048) DEFAULT NULL,
  `IsPrimaryImage` tinyint(1) DEFAULT NULL,
  PRIMARY KEY (`SKU`,`ImageID`),
  CONSTRAINT `product_images_ibfk_1` FOREIGN KEY (`SKU`) REFERENCES `products` (`SKU`) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `product_substitutions` (
  `SKU` varchar(64) NOT NULL,
  `SubstituteSKU` varchar(64) NOT NULL,
  PRIMARY KEY (`SKU`,`SubstituteSKU`),
  CONSTRAINT `product_substitutions_ibfk_1` FOREIGN KEY (`SKU`) REFERENCES `products` (`SKU`) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `products` (
  `SKU` varchar(64) NOT NULL,
  `Name` varchar(255) DEFAULT NULL,
  `Description` text DEFAULT NULL,
  `WebsiteDescription` text DEFAULT NULL,
  `ProductCategoryCode` varchar(255) DEFAULT NULL,
  `WashingInstructions` text DEFAULT NULL,
  `Gender` varchar(64) DEFAULT NULL,
  `Audience` varchar(64) DEFAULT NULL,
  `MainColour` varchar(64) DEFAULT NULL,
  `Barcode` varchar(64) DEFAULT NULL,
  `Photo` varchar(2048) DEFAULT NULL,
  `Theme` varchar(255) DEFAULT NULL,
  `PackagedLength_in_cm` decimal(14,4) DEFAULT NULL,
  `PackagedWidth_in_cm` decimal(14,4) DEFAULT NULL,
  `PackagedHeight_in_cm` decimal(14,4) DEFAULT NULL,
  `PackagedWeight_in_g` decimal(14,4) DEFAULT NULL,
  `CartonLength_in_cm` decimal(14,4) DEFAULT NULL,
  `CartonWidth_in_cm` decimal(14,4) DEFAULT NULL,
  `CartonHeight_in_cm` decimal(14,4) DEFAULT NULL,
  `CartonWeight_in_g` decimal(14,4) DEFAULT NULL,
  `CartonQty` int(11) DEFAULT NULL,
  `AmazonASIN` varchar(64) DEFAULT NULL,
  `CountryOfOrigin` varchar(64) DEFAULT NULL,
  `Status` varchar(64) DEFAULT NULL,
  `StyleCode` varchar(64) DEFAULT NULL,
  `CartonBarcode` varchar(64) DEFAULT NULL,
  `HSCode` varchar(64) DEFAULT NULL,
  `WhatsIncluded` text DEFAULT NULL,
  `ProductCompositionText` text DEFAULT NULL,
  PRIMARY KEY (`SKU`),
  KEY `products_eligibility` (`SKU`,`Status`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `stock` (
  `WarehouseCode` varchar(64) NOT NULL,
  `SKU` varchar(64) NOT NULL,
  `AvailableQTY` decimal(18,4) NOT NULL,
  `NextAvailableETA` date DEFAULT NULL,
  PRIMARY KEY (`WarehouseCode`,`SKU`),
  KEY `stock_SKU` (`SKU`),
  CONSTRAINT `stock_ibfk_1` FOREIGN KEY (`WarehouseCode`) REFERENCES `warehouses` (`WarehouseCode`) ON DELETE CASCADE,
  CONSTRAINT `stock_ibfk_2` FOREIGN KEY (`SKU`) REFERENCES `products` (`SKU`) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `terms_changes` (
  `ID` int(11) NOT NULL AUTO_INCREMENT,
  `ChangedAt` datetime(3) NOT NULL,
  `Subject` varchar(16) NOT NULL,
  `Code` varchar(64) NOT NULL,
  `OldValues` text DEFAULT NULL,
  `NewValues` text DEFAULT NULL,
  `DatabaseAccount` varchar(255) DEFAULT NULL,
  `ChangedBy` varchar(255) NOT NULL,
  `ImportID` varchar(36) DEFAULT NULL,
  PRIMARY KEY (`ID`),
  KEY `terms_changes_Code` (`Code`,`ChangedAt`),
  KEY `terms_changes_ChangedAt` (`ChangedAt`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `version_history` (
  `Part` varchar(16) NOT NULL,
  `Code` varchar(64) NOT NULL,
  `Version` varchar(36) NOT NULL,
  `Counter` int(11) NOT NULL,
  `SupersededAt` datetime(3) DEFAULT NULL,
  PRIMARY KEY (`Part`,`Code`,`Version`),
  KEY `version_history_SupersededAt` (`SupersededAt`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `warehouses` (
  `WarehouseCode` varchar(64) NOT NULL,
  `WarehouseName` varchar(255) DEFAULT NULL,
  PRIMARY KEY (`WarehouseCode`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TRIGGER content_versions_insert BEFORE INSERT ON content_versions FOR EACH ROW
SET NEW.ChangedAt = UTC_TIMESTAMP(3);

CREATE TRIGGER content_versions_update BEFORE UPDATE ON content_versions FOR EACH ROW
SET NEW.ChangedAt = IF(NEW.Version = OLD.Version, NEW.ChangedAt, UTC_TIMESTAMP(3));

CREATE TRIGGER content_prices_delete AFTER DELETE ON prices FOR EACH ROW
IF COALESCE(@customer_data_import, 0) = 0 THEN INSERT INTO content_versions (Part, Code, Version) VALUES ('prices', OLD.PriceListCode, UUID()) ON DUPLICATE KEY UPDATE Version = UUID(); END IF;

CREATE TRIGGER content_prices_insert AFTER INSERT ON prices FOR EACH ROW
IF COALESCE(@customer_data_import, 0) = 0 THEN INSERT INTO content_versions (Part, Code, Version) VALUES ('prices', NEW.PriceListCode, UUID()) ON DUPLICATE KEY UPDATE Version = UUID(); END IF;

CREATE TRIGGER content_prices_update AFTER UPDATE ON prices FOR EACH ROW
IF COALESCE(@customer_data_import, 0) = 0 THEN INSERT INTO content_versions (Part, Code, Version) VALUES ('prices', OLD.PriceListCode, UUID()) ON DUPLICATE KEY UPDATE Version = UUID(); INSERT INTO content_versions (Part, Code, Version) VALUES ('prices', NEW.PriceListCode, UUID()) ON DUPLICATE KEY UPDATE Version = UUID(); END IF;

CREATE TRIGGER content_price_lists_delete AFTER DELETE ON price_lists FOR EACH ROW
IF COALESCE(@customer_data_import, 0) = 0 THEN INSERT INTO content_versions (Part, Code, Version) VALUES ('prices', OLD.PriceListCode, UUID()) ON DUPLICATE KEY UPDATE Version = UUID(); END IF;

CREATE TRIGGER content_price_lists_insert AFTER INSERT ON price_lists FOR EACH ROW
IF COALESCE(@customer_data_import, 0) = 0 THEN INSERT INTO content_versions (Part, Code, Version) VALUES ('prices', NEW.PriceListCode, UUID()) ON DUPLICATE KEY UPDATE Version = UUID(); END IF;

CREATE TRIGGER content_price_lists_update AFTER UPDATE ON price_lists FOR EACH ROW
IF COALESCE(@customer_data_import, 0) = 0 THEN INSERT INTO content_versions (Part, Code, Version) VALUES ('prices', OLD.PriceListCode, UUID()) ON DUPLICATE KEY UPDATE Version = UUID(); INSERT INTO content_versions (Part, Code, Version) VALUES ('prices', NEW.PriceListCode, UUID()) ON DUPLICATE KEY UPDATE Version = UUID(); END IF;

CREATE TRIGGER renew_products_delete AFTER DELETE ON products FOR EACH ROW
IF COALESCE(@customer_data_import, 0) = 0 THEN INSERT INTO content_versions (Part, Code, Version) VALUES ('products', '', UUID()) ON DUPLICATE KEY UPDATE Version = UUID(); DELETE FROM product_documents WHERE SKU = OLD.SKU; END IF;

CREATE TRIGGER renew_products_insert AFTER INSERT ON products FOR EACH ROW
IF COALESCE(@customer_data_import, 0) = 0 THEN INSERT INTO content_versions (Part, Code, Version) VALUES ('products', '', UUID()) ON DUPLICATE KEY UPDATE Version = UUID(); DELETE FROM product_documents WHERE SKU = NEW.SKU; END IF;

CREATE TRIGGER renew_products_update AFTER UPDATE ON products FOR EACH ROW
IF COALESCE(@customer_data_import, 0) = 0 THEN INSERT INTO content_versions (Part, Code, Version) VALUES ('products', '', UUID()) ON DUPLICATE KEY UPDATE Version = UUID(); DELETE FROM product_documents WHERE SKU = OLD.SKU; DELETE FROM product_documents WHERE SKU = NEW.SKU; END IF;

CREATE TRIGGER renew_product_accessories_delete AFTER DELETE ON product_accessories FOR EACH ROW
IF COALESCE(@customer_data_import, 0) = 0 THEN INSERT INTO content_versions (Part, Code, Version) VALUES ('products', '', UUID()) ON DUPLICATE KEY UPDATE Version = UUID(); DELETE FROM product_documents WHERE SKU = OLD.SKU; END IF;

CREATE TRIGGER renew_product_accessories_insert AFTER INSERT ON product_accessories FOR EACH ROW
IF COALESCE(@customer_data_import, 0) = 0 THEN INSERT INTO content_versions (Part, Code, Version) VALUES ('products', '', UUID()) ON DUPLICATE KEY UPDATE Version = UUID(); DELETE FROM product_documents WHERE SKU = NEW.SKU; END IF;

CREATE TRIGGER renew_product_accessories_update AFTER UPDATE ON product_accessories FOR EACH ROW
IF COALESCE(@customer_data_import, 0) = 0 THEN INSERT INTO content_versions (Part, Code, Version) VALUES ('products', '', UUID()) ON DUPLICATE KEY UPDATE Version = UUID(); DELETE FROM product_documents WHERE SKU = OLD.SKU; DELETE FROM product_documents WHERE SKU = NEW.SKU; END IF;

CREATE TRIGGER renew_product_composition_delete AFTER DELETE ON product_composition FOR EACH ROW
IF COALESCE(@customer_data_import, 0) = 0 THEN INSERT INTO content_versions (Part, Code, Version) VALUES ('products', '', UUID()) ON DUPLICATE KEY UPDATE Version = UUID(); DELETE FROM product_documents WHERE SKU = OLD.SKU; END IF;

CREATE TRIGGER renew_product_composition_insert AFTER INSERT ON product_composition FOR EACH ROW
IF COALESCE(@customer_data_import, 0) = 0 THEN INSERT INTO content_versions (Part, Code, Version) VALUES ('products', '', UUID()) ON DUPLICATE KEY UPDATE Version = UUID(); DELETE FROM product_documents WHERE SKU = NEW.SKU; END IF;

CREATE TRIGGER renew_product_composition_update AFTER UPDATE ON product_composition FOR EACH ROW
IF COALESCE(@customer_data_import, 0) = 0 THEN INSERT INTO content_versions (Part, Code, Version) VALUES ('products', '', UUID()) ON DUPLICATE KEY UPDATE Version = UUID(); DELETE FROM product_documents WHERE SKU = OLD.SKU; DELETE FROM product_documents WHERE SKU = NEW.SKU; END IF;

CREATE TRIGGER renew_product_images_delete AFTER DELETE ON product_images FOR EACH ROW
IF COALESCE(@customer_data_import, 0) = 0 THEN INSERT INTO content_versions (Part, Code, Version) VALUES ('products', '', UUID()) ON DUPLICATE KEY UPDATE Version = UUID(); DELETE FROM product_documents WHERE SKU = OLD.SKU; END IF;

CREATE TRIGGER renew_product_images_insert AFTER INSERT ON product_images FOR EACH ROW
IF COALESCE(@customer_data_import, 0) = 0 THEN INSERT INTO content_versions (Part, Code, Version) VALUES ('products', '', UUID()) ON DUPLICATE KEY UPDATE Version = UUID(); DELETE FROM product_documents WHERE SKU = NEW.SKU; END IF;

CREATE TRIGGER renew_product_images_update AFTER UPDATE ON product_images FOR EACH ROW
IF COALESCE(@customer_data_import, 0) = 0 THEN INSERT INTO content_versions (Part, Code, Version) VALUES ('products', '', UUID()) ON DUPLICATE KEY UPDATE Version = UUID(); DELETE FROM product_documents WHERE SKU = OLD.SKU; DELETE FROM product_documents WHERE SKU = NEW.SKU; END IF;

CREATE TRIGGER renew_product_substitutions_delete AFTER DELETE ON product_substitutions FOR EACH ROW
IF COALESCE(@customer_data_import, 0) = 0 THEN INSERT INTO content_versions (Part, Code, Version) VALUES ('products', '', UUID()) ON DUPLICATE KEY UPDATE Version = UUID(); DELETE FROM product_documents WHERE SKU = OLD.SKU; END IF;

CREATE TRIGGER renew_product_substitutions_insert AFTER INSERT ON product_substitutions FOR EACH ROW
IF COALESCE(@customer_data_import, 0) = 0 THEN INSERT INTO content_versions (Part, Code, Version) VALUES ('products', '', UUID()) ON DUPLICATE KEY UPDATE Version = UUID(); DELETE FROM product_documents WHERE SKU = NEW.SKU; END IF;

CREATE TRIGGER renew_product_substitutions_update AFTER UPDATE ON product_substitutions FOR EACH ROW
IF COALESCE(@customer_data_import, 0) = 0 THEN INSERT INTO content_versions (Part, Code, Version) VALUES ('products', '', UUID()) ON DUPLICATE KEY UPDATE Version = UUID(); DELETE FROM product_documents WHERE SKU = OLD.SKU; DELETE FROM product_documents WHERE SKU = NEW.SKU; END IF;

CREATE TRIGGER content_stock_delete AFTER DELETE ON stock FOR EACH ROW
IF COALESCE(@customer_data_import, 0) = 0 THEN INSERT INTO content_versions (Part, Code, Version) VALUES ('stock', OLD.WarehouseCode, UUID()) ON DUPLICATE KEY UPDATE Version = UUID(); END IF;

CREATE TRIGGER content_stock_insert AFTER INSERT ON stock FOR EACH ROW
IF COALESCE(@customer_data_import, 0) = 0 THEN INSERT INTO content_versions (Part, Code, Version) VALUES ('stock', NEW.WarehouseCode, UUID()) ON DUPLICATE KEY UPDATE Version = UUID(); END IF;

CREATE TRIGGER content_stock_update AFTER UPDATE ON stock FOR EACH ROW
IF COALESCE(@customer_data_import, 0) = 0 THEN INSERT INTO content_versions (Part, Code, Version) VALUES ('stock', OLD.WarehouseCode, UUID()) ON DUPLICATE KEY UPDATE Version = UUID(); INSERT INTO content_versions (Part, Code, Version) VALUES ('stock', NEW.WarehouseCode, UUID()) ON DUPLICATE KEY UPDATE Version = UUID(); END IF;

CREATE TRIGGER content_warehouses_delete AFTER DELETE ON warehouses FOR EACH ROW
IF COALESCE(@customer_data_import, 0) = 0 THEN INSERT INTO content_versions (Part, Code, Version) VALUES ('stock', OLD.WarehouseCode, UUID()) ON DUPLICATE KEY UPDATE Version = UUID(); END IF;

CREATE TRIGGER content_warehouses_insert AFTER INSERT ON warehouses FOR EACH ROW
IF COALESCE(@customer_data_import, 0) = 0 THEN INSERT INTO content_versions (Part, Code, Version) VALUES ('stock', NEW.WarehouseCode, UUID()) ON DUPLICATE KEY UPDATE Version = UUID(); END IF;

CREATE TRIGGER content_warehouses_update AFTER UPDATE ON warehouses FOR EACH ROW
IF COALESCE(@customer_data_import, 0) = 0 THEN INSERT INTO content_versions (Part, Code, Version) VALUES ('stock', OLD.WarehouseCode, UUID()) ON DUPLICATE KEY UPDATE Version = UUID(); INSERT INTO content_versions (Part, Code, Version) VALUES ('stock', NEW.WarehouseCode, UUID()) ON DUPLICATE KEY UPDATE Version = UUID(); END IF;
