import { importFiles } from './support/import-files.js';
import { TestService } from './support/test-service.js';

let service: TestService;
beforeAll(async () => void (service = await TestService.start()));
afterAll(() => service.close());

interface Findings {
  rule: string;
  count: number;
  examples: string[];
}

const product = (
  sku: string,
  cells: Partial<Record<'barcode' | 'photo' | 'html' | 'status' | 'carton', string>> = {},
) => {
  const row = Array.from({ length: 29 }, () => '');
  [row[0], row[3], row[9], row[10], row[23], row[25]] = [
    sku,
    cells.html ?? '',
    cells.barcode ?? '',
    cells.photo ?? '',
    cells.status ?? '',
    cells.carton ?? '',
  ];
  return row;
};

const GOOD = importFiles({
  'price_lists.csv': [['L', 'List', 'EUR']],
  'warehouses.csv': [['W']],
  'products.csv': [product('A', { barcode: '4006381333931', photo: 'a.jpg', html: '<p>A</p>' }), product('B')],
  'product_images.csv': [['A', '1', 'a.jpg']],
  'product_accessories.csv': [['A', 'B']],
  'product_substitutions.csv': [['B', 'A']],
  'prices.csv': [
    ['L', 'A', '1', '', '', 'no'],
    ['L', 'B', '0.0001', '', '', 'no'],
  ],
  'stock.csv': [['W', 'A', '1', '2999-01-01']],
  'customers.csv': [['C', '', 'L', 'W', '0']],
});
const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
const BAD = importFiles({
  'price_lists.csv': [['EMPTY', '', 'EUR']],
  'warehouses.csv': [['V']],
  'products.csv': [
    product('BAD', { barcode: '4006381333931', carton: '123', photo: 'images/a.jpg', html: '<p>B' }),
    product('LONE', { barcode: '4006381333930' }),
    // This product is hidden by its status.
    product('OLD', { barcode: '1', photo: 'x', html: '<b>', status: 'OBSOLETE' }),
  ],
  'product_images.csv': [
    ['BAD', '1', 'no_selection'],
    ['OLD', '1', 'no_selection'],
  ],
  'product_accessories.csv': [['A', 'GONE']],
  'product_substitutions.csv': [['B', 'GONE']],
  'prices.csv': [
    ['L', 'BAD', '0', '', '', 'no'],
    ['EMPTY', 'OLD', '0', '', '', 'no'],
  ],
  'stock.csv': [
    ['W', 'B', '0', yesterday],
    ['W', 'LONE', '5'],
    ['V', 'B', '-1'],
  ],
  'customers.csv': [
    ['D', '', 'EMPTY', 'V', '0'],
    ['E', '', '', '', '0'],
    ['F', '', '', '', '0'],
  ],
});

const check = (...options: string[]) => service.database.cli('catalogue', 'check', ...options);

async function gauges(name: string): Promise<Record<string, number>> {
  const text = await (await fetch(`${service.managementUrl}/metrics`)).text();
  const lines = text.matchAll(new RegExp(`^customer_data_${name}\\{rule="(.*)"\\} (\\S+)$`, 'gm'));
  return Object.fromEntries([...lines].map(([, rule, value]) => [rule!, Number(value)]));
}

test('counts the findings of each rule and ignores hidden products (issue 17)', async () => {
  const { database } = service;
  expect(await gauges('catalogue_findings')).toEqual({});
  await database.load(GOOD);
  const good = await check('--json');
  expect([good.code, good.stderr]).toEqual([0, '']);
  expect((JSON.parse(good.stdout) as Findings[]).filter(({ count }) => count)).toEqual([]);
  const started = Date.now() / 1000 - 60;

  await database.load(BAD);
  await database.cliOk('customer', 'set', 'F', '--inactive');
  const bad = await check('--json');
  expect([bad.code, bad.stderr]).toEqual([2, '12 of 12 rules found something.\n']);
  const found = JSON.parse(bad.stdout) as Findings[];
  expect(found.map(({ rule, count, examples }) => [rule, count, examples])).toEqual([
    ['barcode-invalid', 2, [expect.stringMatching(/^SKU BAD: 123 has 3/), expect.stringMatching(/^SKU LONE: .* 1$/)]],
    ['picture-name', 2, ['SKU BAD: images/a.jpg', 'SKU BAD: no_selection']],
    ['html-unclosed', 1, ['SKU BAD: <p> is not closed']],
    ['barcode-repeated', 1, ['barcode 4006381333931 of 2 products: A, BAD']],
    ['price-zero', 1, ['SKU BAD on list L']],
    ['product-unpriced', 1, ['SKU LONE']],
    ['stock-unpriced', 1, ['SKU LONE']],
    ['accessory-dangling', 1, ['SKU A names GONE']],
    ['substitution-dangling', 1, ['SKU B names GONE']],
    ['date-past', 1, [`SKU B in warehouse W: ${yesterday}`]],
    ['customer-list-empty', 2, ['D: list EMPTY', 'E has no list']],
    ['customer-warehouse-empty', 2, ['D: warehouse V', 'E has no warehouse']],
  ]);
  expect(await gauges('catalogue_findings')).toEqual(Object.fromEntries(found.map(({ rule, count }) => [rule, count])));
  const times = Object.values(await gauges('catalogue_checked_timestamp_seconds'));
  expect(times.map((time) => time > started && time < Date.now() / 1000)).toEqual(found.map(() => true));
});

test('checks only the requested rules and keeps the counts of the others', async () => {
  const before = await gauges('catalogue_findings');
  await service.database.sql("UPDATE prices SET Price = '1' WHERE SKU = 'BAD'");
  const { code, stdout } = await check('--only', 'price-zero');
  expect([code, stdout]).toEqual([0, 'rule        findings  description\nprice-zero  0         prices of 0\n']);
  expect(await gauges('catalogue_findings')).toEqual({ ...before, 'price-zero': 0 });
  const skipped = await check('--json', '--skip', 'date-past', 'price-zero');
  expect((JSON.parse(skipped.stdout) as Findings[]).map(({ rule }) => rule)).toHaveLength(10);
});

test('prints the first three examples of each rule, ten as JSON, from several batches', async () => {
  const skus = Array.from({ length: 450 }, (_, index) => `X-${String(index).padStart(3, '0')}`);
  await service.database.load(importFiles({ 'products.csv': skus.map((sku) => product(sku, { photo: 'x' })) }));
  const { stdout } = await check('--only', 'picture-name');
  const [, ...lines] = stdout.trim().split('\n').slice(1);
  expect(lines).toEqual([
    ...['images/a.jpg', 'no_selection'].map((name) => `picture-name: SKU BAD: ${name}`),
    'picture-name: SKU X-000: x',
    'picture-name: and 449 more',
  ]);
  const [only] = JSON.parse((await check('--only', 'picture-name', '--json')).stdout) as [Findings];
  expect([only.count, only.examples.length, only.examples.at(-1)]).toEqual([452, 10, 'SKU X-007: x']);
});

test('exits with 1 if the check cannot run', async () => {
  expect((await check('--only', 'nonsense')).code).toBe(1);
  const { code, stderr } = await check(
    '--skip',
    ...JSON.parse((await check('--json')).stdout).map((found: Findings) => found.rule),
  );
  expect([code, stderr]).toEqual([1, '--skip leaves no rule to check.\n']);
});
