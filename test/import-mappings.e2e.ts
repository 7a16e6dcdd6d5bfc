import { join } from 'node:path';
import { signs } from './support/import-outcome.js';
import { TestDatabase, TestService } from './support/test-service.js';
import type { ImportSummary } from '../src/import/import-summary.js';

let database: TestDatabase;
beforeEach(async () => void (database = await TestDatabase.create()));
afterEach(() => database.drop());

const sample = (system: string) => join('test/samples', `${system}-products.csv`);
const map = (system: string) => join('mappings', `${system}.yaml`);

/** Imports the sample with the map of its system. @returns the counts of each table, such as `+1 ~2 =3 -4` */
async function load(system: string, ...options: string[]): Promise<Record<string, string>> {
  const text = await database.cliOk('import', '--json', sample(system), '--map', map(system), ...options);
  return signs(JSON.parse(text) as ImportSummary);
}

/** Fetches products and stock as a customer of the map's list and warehouse. @returns rows like those of EXPECTED */
async function fetchedProducts(code: string): Promise<unknown[][]> {
  await database.cliOk('customer', 'set', 'SHOP', '--price-list', code, '--warehouse', code);
  const service = await TestService.start({}, database);
  const token = await service.token('SHOP');
  const [products, stock] = (await Promise.all(
    ['/products', '/stock'].map(async (path) => JSON.parse(await service.text(path, token))),
  )) as [
    { SKU: string; ProductImages: unknown[]; ProductPrices: { PriceExclVAT: number }[] }[],
    { SKU: string; AvailableQTY: number }[],
  ];
  await service.stop();
  const quantities = new Map(stock.map(({ SKU, AvailableQTY }) => [SKU, AvailableQTY]));
  return products.map(({ SKU, ProductImages, ProductPrices }) => [
    SKU,
    ProductPrices[0]!.PriceExclVAT,
    quantities.get(SKU),
    ProductImages.length,
  ]);
}

/** The expected SKU, net price, quantity and number of images of each product. */
const EXPECTED: [system: string, code: string, products: unknown[][]][] = [
  [
    'magento2',
    'MAGENTO',
    [
      ['LAN-100-RED', 4.95, 240, 2],
      ['LED-7', 2, 1000, 1],
      ['PLAN-1', 15.5, undefined, 0],
    ],
  ],
  [
    'woocommerce',
    'WOOCOMMERCE',
    [
      ['KITE-1', 29.9, 25, 2],
      ['WIND-RED', 12.5, 60, 1],
    ],
  ],
  [
    'shopify',
    'SHOPIFY',
    [
      ['CLK-1', 45, 3, 2],
      ['HAT-BLK-L', 19.9, 0, 0],
      ['HAT-BLK-M', 19.9, 12, 3],
    ],
  ],
];

test.each(EXPECTED)(
  'an export of %s is imported and returned by the service, and a second import changes nothing',
  async (system, code, products) => {
    const dry = await load(system, '--dry-run');
    expect(await database.sql('SELECT SKU FROM products')).toEqual([]);
    const first = await load(system);
    expect(first).toEqual(dry);
    expect(Object.values(first).join()).toMatch(/^(\+[1-9]\d* ~0 =0 -0,?)+$/);
    const again = await load(system);
    expect(Object.keys(again)).toEqual(Object.keys(first));
    expect(Object.values(again).join()).toMatch(/^(\+0 ~0 =[1-9]\d* -0,?)+$/);
    expect(await fetchedProducts(code)).toEqual(products);
  },
);
