import { importFile, importFiles } from './import-files.js';

/** Terms of A: list LIST-A, warehouse WH-A, 10 % off. */
export const A = 'SHOP-A';
/** Terms of B: list LIST-B, warehouse WH-B, 25.5 % off. B shares only the SKUs FIXED, OLD and SHARED with A. */
export const B = 'SHOP-B';
/**
 * Terms of C: the list of A, the warehouse of B, no discount. C detects a response that customers wrongly share because
 * they have the same list.
 */
export const C = 'SHOP-C';

/**
 * Texts that appear in responses to B and must never appear in a response to A: codes, currency, net prices, file
 * names.
 */
export const MARKS_OF_B = [
  'B-ONLY',
  'LIST-B',
  'List B',
  'GBP',
  'WH-B',
  '22.3500',
  '8.8888',
  '29.8000',
  'Bandit',
  'b-only.jpg',
];

/** Import files of a catalogue of five products, small enough to write each expected response by hand. */
export const smallCatalogue: Record<string, string> = {
  'products.csv': importFile('products.csv', [
    { SKU: 'A-ONLY', Name: 'Astronaut', CartonWeight_in_g: '1200.5', Status: 'ACTIVE' },
    { SKU: 'B-ONLY', Name: 'Bandit', CartonWeight_in_g: '1300', Status: 'ACTIVE' },
    { SKU: 'FIXED', Name: 'Feather', Status: 'ACTIVE' },
    { SKU: 'OLD', Name: 'Ogre', Status: 'OBSOLETE' },
    { SKU: 'SHARED', Name: 'Sailor', Status: 'ACTIVE' },
  ]),
  ...importFiles({
    'product_images.csv': [
      ['A-ONLY', 'A-1', 'a-only.jpg', 'true'],
      ['B-ONLY', 'B-1', 'b-only.jpg', 'true'],
    ],
    'product_accessories.csv': [
      ['B-ONLY', 'SHARED'],
      ['SHARED', 'FIXED'],
    ],
    'price_lists.csv': [
      ['LIST-A', 'List A', 'EUR'],
      ['LIST-B', 'List B', 'GBP'],
    ],
    'prices.csv': [
      ['LIST-A', 'A-ONLY', '10.00', '1', '1', 'true'],
      ['LIST-A', 'FIXED', '7.7777', '12', '6', 'false'],
      ['LIST-A', 'OLD', '5.00', '1', '1', 'true'],
      ['LIST-A', 'SHARED', '20.0005', '2', '2', 'true'],
      ['LIST-B', 'B-ONLY', '30.00', '3', '3', 'true'],
      ['LIST-B', 'FIXED', '8.8888', '12', '6', 'false'],
      ['LIST-B', 'OLD', '6.00', '1', '1', 'true'],
      ['LIST-B', 'SHARED', '40.00', '4', '4', 'true'],
    ],
    'warehouses.csv': [
      ['WH-A', 'Warehouse A'],
      ['WH-B', 'Warehouse B'],
    ],
    // Each warehouse also holds products of the other customer's list: stock depends on the list, not only on the
    // warehouse.
    'stock.csv': [
      ['WH-A', 'A-ONLY', '5'],
      ['WH-A', 'B-ONLY', '6'],
      ['WH-A', 'OLD', '9'],
      ['WH-A', 'SHARED', '7', '2027-01-15'],
      ['WH-B', 'A-ONLY', '50'],
      ['WH-B', 'B-ONLY', '60', '2027-02-28'],
      ['WH-B', 'SHARED', '70'],
    ],
    // Limits far above the requests of a test, so that no request is rejected for its quota.
    'customers.csv': [
      [A, 'Shop A', 'LIST-A', 'WH-A', '10', '1000000', '1000000'],
      [B, 'Shop B', 'LIST-B', 'WH-B', '25.5', '1000000', '1000000'],
      [C, 'Shop C', 'LIST-A', 'WH-B', '0', '1000000', '1000000'],
    ],
  }),
};
