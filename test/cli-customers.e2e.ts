import { cells, problem } from './support/commands.js';
import { importFiles } from './support/import-files.js';
import { TestDatabase } from './support/test-service.js';

let database: TestDatabase;
beforeAll(async () => {
  database = await TestDatabase.create();
  const lists = [
    ['L-2', 'Second', 'USD'],
    ['L-1', 'First', 'EUR'],
  ];
  await database.load(importFiles({ 'price_lists.csv': lists, 'warehouses.csv': [['W-1', 'Main']] }));
});
afterAll(() => database.drop());

/** Returns the terms of a customer by name, as `customer show` prints them. */
async function terms(code: string): Promise<Record<string, string>> {
  const all = Object.fromEntries(cells(await database.cliOk('customer', 'show', code)).slice(1));
  return { ...all, DiscountPercentage: String(Number(all.DiscountPercentage)) };
}

const ALL = ['--name', 'Full name', '--price-list', ' L-1 ', '--warehouse', 'W-1', '--discount', '12.5'];
const LIMITS = ['--per-minute', '120', '--per-hour', '5000'];
const NOTHING = { CustomerName: '-', PriceListCode: '-', WarehouseCode: '-', DiscountPercentage: '0' };
const FULL = { CustomerName: 'Full name', PriceListCode: 'L-1', WarehouseCode: 'W-1', DiscountPercentage: '12.5' };
const FULL_LIMITS = { RequestsPerMinute: '120', RequestsPerHour: '5000' };
const DEFAULT_LIMITS = { RequestsPerMinute: '-', RequestsPerHour: '-' };

let count = 0;

test('set creates a customer without terms, and then sets all of them', async () => {
  await database.cliOk('customer', 'set', 'NEW-1');
  expect(await terms('NEW-1')).toEqual({ CustomerCode: 'NEW-1', ...NOTHING, ...DEFAULT_LIMITS, Active: 'true' });
  const printed = await database.cliOk('customer', 'set', 'NEW-1', ...ALL, ...LIMITS);
  expect(await terms('NEW-1')).toEqual({ CustomerCode: 'NEW-1', ...FULL, ...FULL_LIMITS, Active: 'true' });
  expect(printed).toBe(await database.cliOk('customer', 'show', 'NEW-1'));
});

test.each([
  [['--name', ' New name '], { CustomerName: 'New name' }],
  [['--price-list', 'L-2'], { PriceListCode: 'L-2' }],
  [['--discount', '0'], { DiscountPercentage: '0' }],
  [['--discount', '100.0000'], { DiscountPercentage: '100' }],
  [['--per-minute', '1'], { RequestsPerMinute: '1' }],
  [['--inactive'], { Active: 'false' }],
  [[], {}],
  // An empty value removes a term.
  [['--name', ''], { CustomerName: '-' }],
  [['--price-list', ''], { PriceListCode: '-' }],
  [['--warehouse', ''], { WarehouseCode: '-' }],
  [['--per-minute', '', '--per-hour', ''], DEFAULT_LIMITS],
])('set with %j changes only these terms', async (args, changed) => {
  const code = `CHANGED-${++count}`;
  await database.cliOk('customer', 'set', code, ...ALL, ...LIMITS);
  await database.cliOk('customer', 'set', code, ...args);
  const expected = { CustomerCode: code, ...FULL, ...FULL_LIMITS, Active: 'true', ...changed };
  expect(await terms(code)).toEqual(expected);
});

test('an inactive customer stays inactive until it is activated', async () => {
  await database.cliOk('customer', 'set', 'OFF', '--inactive');
  await database.cliOk('customer', 'set', 'OFF', '--name', 'Still off');
  expect(await terms('OFF')).toMatchObject({ CustomerName: 'Still off', Active: 'false' });
  await database.cliOk('customer', 'set', 'OFF', '--active');
  expect(await terms('OFF')).toMatchObject({ CustomerName: 'Still off', Active: 'true' });
});

test.each([
  ['--discount', '12,5', 'is not a decimal'],
  ['--discount', '1e1', 'is not a decimal'],
  ['--discount', '-1', '"-1" is less than 0'],
  ['--discount', '100.0001', '"100.0001" is more than 100'],
  ['--discount', '1.00001', 'has more than 4 decimals'],
  ['--discount', '', 'is empty, but a value is required'],
  ['--per-minute', '0', '"0" is less than 1'],
  ['--per-minute', '1.5', 'is not a whole number'],
  ['--per-hour', 'many', 'is not a whole number'],
  ['--name', 'x'.repeat(256), 'has 256 characters, 255 is the maximum'],
  ['--price-list', 'x'.repeat(65), 'has 65 characters, 64 is the maximum'],
])('set refuses %s %j and names the option and the fault', async (option, value, fault) => {
  const said = await problem(database.cli('customer', 'set', 'REFUSED', option, value));
  expect(said).toContain(`option '${option} <`);
  expect(said).toContain(fault);
  expect(said).toContain('--help');
  expect(await problem(database.cli('customer', 'show', 'REFUSED'))).toContain('There is no customer REFUSED');
});

test.each([
  [['REFUSED', '--price-list', 'L'], 'There is no price list L. Existing codes: L-1, L-2.'],
  [['REFUSED', '--price-list', 'l-1'], 'There is no price list l-1. Existing codes: L-1, L-2.'],
  [['REFUSED', '--warehouse', 'W'], 'There is no warehouse W. Existing codes: W-1.'],
  [['REFUSED', '--active', '--inactive'], "'--active' cannot be used with option '--inactive'"],
  [['two words'], '"two words" is not a code of 1 to 64 letters, digits, dots, dashes and underscores'],
  [[''], 'is empty, but a value is required'],
  [['x'.repeat(65)], 'is not a code of 1 to 64 letters'],
])('set refuses %j and names a remedy', async (args, fault) => {
  const before = await database.cliOk('customer', 'list');
  expect(await problem(database.cli('customer', 'set', ...args))).toContain(fault);
  expect(await database.cliOk('customer', 'list')).toBe(before);
});

test('list shows every customer by code, and codes are case-sensitive', async () => {
  for (const code of ['zed', 'ZED', 'Zed']) await database.cliOk('customer', 'set', code, '--name', `Name of ${code}`);
  const [headers, ...rows] = cells(await database.cliOk('customer', 'list'));
  expect(headers).toEqual(['CustomerCode', ...Object.keys({ ...FULL, ...FULL_LIMITS }), 'Active']);
  const codes = rows.map(([code]) => code);
  expect(codes).toEqual(codes.toSorted());
  const zeds = rows.filter(([code]) => code!.toLowerCase() === 'zed').map(([code, name]) => [code, name]);
  expect(zeds).toEqual(['ZED', 'Zed', 'zed'].map((code) => [code, `Name of ${code}`]));
});

test('delete removes only the customer and its keys', async () => {
  for (const code of ['GONE', 'STAYS', 'STAYS', 'GONE', 'gone']) {
    await database.cliOk('customer', 'set', code);
    await database.cliOk('key', 'issue', code);
  }
  expect(await database.cliOk('customer', 'delete', 'GONE')).toBe('Deleted GONE.');
  const left = await database.sql(
    `SELECT CustomerCode, COUNT(*) AS n FROM api_keys WHERE CustomerCode IN ('GONE', 'gone', 'STAYS')
     GROUP BY CustomerCode ORDER BY CustomerCode`,
  );
  expect(left).toEqual([
    { CustomerCode: 'STAYS', n: 2 },
    { CustomerCode: 'gone', n: 1 },
  ]);
  for (const command of ['show', 'delete'])
    expect(await problem(database.cli('customer', command, 'GONE'))).toBe(
      'There is no customer GONE; run "customer list" to see all.\n',
    );
});
