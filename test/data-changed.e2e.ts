import { setTimeout as sleep } from 'node:timers/promises';
import { ENDPOINTS } from './support/expected-responses.js';
import { call } from './support/http-call.js';
import { importFiles } from './support/import-files.js';
import { engine, TestService } from './support/test-service.js';

const FILES = importFiles({
  'price_lists.csv': ['L', 'M'].map((list) => [list, 'List', 'EUR']),
  'warehouses.csv': [['W'], ['V']],
  'products.csv': [['P', 'one'], ['Q']],
  'prices.csv': ['L', 'M'].map((list) => [list, 'P', '1.50', '', '', 'true']),
  'stock.csv': ['W', 'V'].map((warehouse) => [warehouse, 'P', '1']),
  'customers.csv': [['C', '', 'L', 'W', '10']],
});

let service: TestService;
let token: string;
beforeAll(async () => {
  service = await TestService.start();
  await service.database.load(FILES);
  token = await service.token('C');
});
afterAll(() => service.close());

async function changed(path: string, method = 'GET'): Promise<string | undefined> {
  const { status, headers } = await call(service.url, { path, token, method });
  expect([path, status]).toEqual([path, 200]);
  return headers['x-data-changed'] as string | undefined;
}

const all = async () =>
  Object.fromEntries(await Promise.all(ENDPOINTS.map(async (path) => [path, await changed(path)])));
const file = (name: string, ...row: string[]) => importFiles({ [name]: [row] });
const ALL = [...ENDPOINTS];

test.each<[string, string[], Record<string, string> | string]>([
  ['an import of a product', ALL, file('products.csv', 'P', 'two')],
  ['an import of an image', ALL, file('product_images.csv', 'P', '1', 'two.jpg')],
  ['an import of a price', ALL, file('prices.csv', 'L', 'P', '2', '', '', 'true')],
  ['an import of stock', ['/stock'], file('stock.csv', 'W', 'P', '2')],
  ['an import of a price of another list', [], file('prices.csv', 'M', 'P', '2', '', '', 'true')],
  ['an import of stock of another warehouse', [], file('stock.csv', 'V', 'P', '2')],
  ['an import that changes nothing', [], file('stock.csv', 'V', 'P', '2')],
  ['the discount of the customer', [], file('customers.csv', 'C', '', 'L', 'W', '11')],
  ['a change of a product by another program', ALL, `UPDATE products SET Name = 'three' WHERE SKU = 'P'`],
  ['a change of a price by another program', ALL, `UPDATE prices SET Price = '3' WHERE PriceListCode = 'L'`],
  ['a removal of stock by another program', ['/stock'], `DELETE FROM stock WHERE WarehouseCode = 'W'`],
  [
    'a change of stock of another warehouse by another program',
    [],
    `UPDATE stock SET AvailableQTY = '3' WHERE WarehouseCode = 'V'`,
  ],
])('%s changes X-Data-Changed of %j only (decision 112)', async (_what, affected, change) => {
  const before = await all();
  await sleep(5);
  const started = Date.now();
  if (typeof change === 'string') await service.database.sql(change);
  else await service.database.load(change);
  const ended = Date.now();
  for (const path of ENDPOINTS) {
    const now = (await changed(path))!;
    expect(now).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    if (!affected.includes(path)) expect([path, now]).toEqual([path, before[path]]);
    else expect([path, Date.parse(now) >= started - 1, Date.parse(now) <= ended + 1]).toEqual([path, true, true]);
    expect(await changed(path, 'HEAD')).toBe(now);
  }
});

test('a rolled-back change does not change X-Data-Changed (decision 112)', async () => {
  const before = await all();
  await service.database.sql(['BEGIN', 'DELETE FROM products', 'ROLLBACK', 'SELECT 1']);
  expect(await all()).toEqual(before);
});

if (engine === 'mysql')
  test('X-Data-Changed is UTC for any time zone of the session that changes the data (decision 112)', async () => {
    const started = Date.now();
    await service.database.sql([`SET time_zone = '+05:00'`, `UPDATE products SET Name = 'four' WHERE SKU = 'P'`]);
    const now = Date.parse((await changed('/prices'))!);
    expect([now >= started - 1, now <= Date.now() + 1]).toEqual([true, true]);
  });

test('X-Data-Changed is absent while versions are lost, and returns after documents build --all (decision 112)', async () => {
  await service.database.sql('DELETE FROM content_versions');
  expect(await changed('/stock')).toBeUndefined();
  await service.database.cliOk('documents', 'build', '--all');
  expect(await changed('/stock')).toBeDefined();
});
