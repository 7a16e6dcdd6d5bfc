import { stringify } from 'csv-stringify/sync';

/** Column names of each import file, in the order of the format's description. */
export const COLUMNS = {
  'products.csv':
    'SKU,Name,Description,WebsiteDescription,ProductCategoryCode,WashingInstructions,Gender,Audience,MainColour,Barcode,Photo,Theme,PackagedLength_in_cm,PackagedWidth_in_cm,PackagedHeight_in_cm,PackagedWeight_in_g,CartonLength_in_cm,CartonWidth_in_cm,CartonHeight_in_cm,CartonWeight_in_g,CartonQty,AmazonASIN,CountryOfOrigin,Status,StyleCode,CartonBarcode,HSCode,WhatsIncluded,ProductCompositionText',
  'product_images.csv': 'SKU,ImageID,FileName,IsPrimaryImage',
  'product_accessories.csv': 'SKU,AccessorySKU',
  'product_substitutions.csv': 'SKU,SubstituteSKU',
  'product_composition.csv': 'SKU,MaterialCode,MaterialDescription,CompositionPercentage',
  'price_lists.csv': 'PriceListCode,PriceListName,CurrencyCode',
  'prices.csv': 'PriceListCode,SKU,Price,MOQ,OrderMultiple,DiscountEligible',
  'warehouses.csv': 'WarehouseCode,WarehouseName',
  'stock.csv': 'WarehouseCode,SKU,AvailableQTY,NextAvailableETA',
  'customers.csv':
    'CustomerCode,CustomerName,PriceListCode,WarehouseCode,DiscountPercentage,RequestsPerMinute,RequestsPerHour',
};

export type ImportFileName = keyof typeof COLUMNS;

/** The text of an import file: each row has the given cells, and all other cells are empty. */
export function importFile(name: ImportFileName, rows: readonly Record<string, string>[]): string {
  const columns = COLUMNS[name].split(',');
  return stringify([columns, ...rows.map((row) => columns.map((column) => row[column] ?? ''))]);
}

/** Creates import files from short rows: values in the order of the columns. Missing values at the end are empty. */
export function importFiles(
  files: Partial<Record<ImportFileName, readonly (readonly string[])[]>>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(files).map(([name, rows]) => {
      const columns = COLUMNS[name as ImportFileName].split(',');
      const named = rows.map((row) => Object.fromEntries(row.map((value, index) => [columns[index]!, value])));
      return [name, importFile(name as ImportFileName, named)];
    }),
  );
}

/** One row of each table that other rows reference, and one row that references each. */
export const BASE = importFiles({
  'price_lists.csv': [['L', 'List', 'EUR']],
  'warehouses.csv': [['W', 'Warehouse']],
  'products.csv': [
    ['A', 'Anchor', 'Heavy'],
    ['B', 'Bell'],
  ],
  'product_images.csv': [['A', '1', 'a.jpg', 'true']],
  'prices.csv': [['L', 'A', '10.5', '6', '', 'yes']],
  'stock.csv': [['W', 'A', '5', '2027-01-15']],
  'customers.csv': [['C', 'Customer', 'L', 'W', '10']],
});
