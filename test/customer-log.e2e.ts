import { hostname, userInfo } from 'node:os';
import { BASE, importFiles } from './support/import-files.js';
import { latestRuns } from './support/import-runs.js';
import { removeAllRows } from './support/stored-rows.js';
import { engine, TestDatabase } from './support/test-service.js';

interface Change {
  ChangedAt: string;
  Subject: string;
  Code: string;
  OldValues: Record<string, unknown> | null;
  NewValues: Record<string, unknown> | null;
  DatabaseAccount: string | null;
  ChangedBy: string;
  ImportID: string | null;
}

const TERMS = { CustomerName: null, PriceListCode: null, WarehouseCode: null, DiscountPercentage: '0' };
const LIMITS = { RequestsPerMinute: null, RequestsPerHour: null };

let database: TestDatabase;
beforeAll(async () => void (database = await TestDatabase.create()));
beforeEach(async () => {
  await removeAllRows(database);
  await database.sql('DELETE FROM terms_changes');
});
afterAll(() => database.drop());

/** The changes of a customer, latest first, without their times and accounts. */
async function changes(code: string): Promise<[subject: string, old: unknown, now: unknown][]> {
  return (await log(code)).map(({ Subject, OldValues, NewValues }) => [Subject, OldValues, NewValues]);
}

async function log(code: string): Promise<Change[]> {
  return JSON.parse(await database.cliOk('customer', 'log', code, '--json')) as Change[];
}

test('commands record each change of a customer with its changed values, time and account', async () => {
  const before = new Date().toISOString();
  await database.cliOk('customer', 'set', 'A', '--discount', '5');
  await database.cliOk('customer', 'set', 'A', '--discount', '5.0');
  await database.cliOk('customer', 'set', 'A', '--discount', '7.5', '--name', 'Acme');
  await database.cliOk('customer', 'set', 'A', '--inactive');
  await database.cliOk('customer', 'set', 'B');
  await database.cliOk('customer', 'delete', 'A');
  const all = { ...TERMS, ...LIMITS, CustomerName: 'Acme', DiscountPercentage: '7.5', Active: false };
  expect(await changes('A')).toEqual([
    ['customer', all, null],
    ['customer', { Active: true }, { Active: false }],
    ['customer', { CustomerName: null, DiscountPercentage: '5' }, { CustomerName: 'Acme', DiscountPercentage: '7.5' }],
    ['customer', null, { DiscountPercentage: '5', Active: true }],
  ]);
  for (const { ChangedAt, ChangedBy, DatabaseAccount, ImportID } of await log('A')) {
    expect(ChangedAt >= before && ChangedAt <= new Date().toISOString()).toBe(true);
    expect([ChangedBy, ImportID]).toEqual([`${userInfo().username}@${hostname()}`, null]);
    if (engine === 'sqlite') expect(DatabaseAccount).toBeNull();
    else expect(DatabaseAccount).toMatch(/^root@/);
  }
});

test('keys are recorded by ID, without the key or its digest', async () => {
  await database.cliOk('customer', 'set', 'A');
  const key = await database.cliOk('key', 'issue', 'A', '--label', 'shop', '--expires', '2099-12-30');
  const [{ ID, Digest }] = (await database.sql('SELECT ID, Digest FROM api_keys')) as [{ ID: number; Digest: string }];
  await database.cliOk('key', 'revoke', `${ID}`);
  await database.cliOk('key', 'revoke', `${ID}`);
  expect((await changes('A')).slice(0, -1)).toEqual([
    ['api_key', { ID, RevokedAt: null }, { ID, RevokedAt: expect.stringMatching(/^\d{4}-.*Z$/) as string }],
    ['api_key', null, { ID, Label: 'shop', ExpiresAt: '2099-12-31T00:00:00.000Z' }],
  ]);
  const rows = JSON.stringify(await database.sql('SELECT * FROM terms_changes'));
  expect([rows.includes(key), rows.includes(Digest)]).toEqual([false, false]);
});

test('imports record changes of customers and price lists with the ID of the import', async () => {
  await database.load(BASE);
  await database.load(
    importFiles({
      'price_lists.csv': [['L', 'List', 'USD']],
      'customers.csv': [['C', 'Customer', 'L', 'W', '12']],
    }),
  );
  const [second, first] = await latestRuns(database, 2);
  const [discount, currency, added, list] = await log('C');
  expect([discount, currency, added, list].map((change) => change!.ImportID)).toEqual([
    second!.ID,
    second!.ID,
    first!.ID,
    first!.ID,
  ]);
  expect(await changes('C')).toEqual([
    ['customer', { DiscountPercentage: '10' }, { DiscountPercentage: '12' }],
    ['price_list', { CurrencyCode: 'EUR' }, { CurrencyCode: 'USD' }],
    [
      'customer',
      null,
      {
        ...TERMS,
        ...LIMITS,
        CustomerName: 'Customer',
        PriceListCode: 'L',
        WarehouseCode: 'W',
        DiscountPercentage: '10',
      },
    ],
    ['price_list', null, { PriceListName: 'List', CurrencyCode: 'EUR' }],
  ]);
});

test('an import without changes, a refused import and a dry run record nothing', async () => {
  await database.load(BASE);
  const before = await log('C');
  await database.load(BASE);
  const files = importFiles({ 'customers.csv': [['C', 'Customer', 'L', 'W', '11']] });
  await database.cliOk('import', '--dry-run', await database.files(files));
  const bad = importFiles({
    'customers.csv': [
      ['C', '', 'L', 'W', '11'],
      ['D', '', 'NOPE'],
    ],
  });
  expect((await database.cli('import', await database.files(bad))).code).toBe(1);
  expect(await log('C')).toEqual(before);
});

test('--replace records the customers that it removes', async () => {
  await database.load(BASE);
  await database.load(importFiles({ 'customers.csv': [['D', 'Other', 'L', 'W', '1']] }));
  const files = importFiles({ 'customers.csv': [['D', 'Other', 'L', 'W', '1']] });
  await database.cliOk('import', '--replace', '--allow-removals', await database.files(files));
  expect((await changes('C'))[0]).toEqual(['customer', expect.objectContaining({ PriceListCode: 'L' }), null]);
});

/** The date `age` days ago. */
const day = (age: number) => new Date(Date.now() - age * 86_400_000).toISOString().slice(0, 10);

test('records are deleted after 400 days', async () => {
  await database.cliOk('customer', 'set', 'A');
  await database.cliOk('customer', 'set', 'A', '--discount', '1');
  const [last] = await database.sql('SELECT MAX(ID) AS ID FROM terms_changes');
  await database.sql(`UPDATE terms_changes SET ChangedAt = '${day(399)} 00:00:00.000' WHERE ID = ?`, [last!.ID]);
  await database.sql(`UPDATE terms_changes SET ChangedAt = '${day(401)} 00:00:00.000' WHERE ID <> ?`, [last!.ID]);
  await database.cliOk('customer', 'set', 'A', '--discount', '2');
  expect((await changes('A')).map(([, , now]) => now)).toEqual([
    { DiscountPercentage: '2' },
    { DiscountPercentage: '1' },
  ]);
});

test('customer log prints a line per value, and fails for an unknown customer', async () => {
  await database.cliOk('customer', 'set', 'A', '--discount', '5');
  await database.cliOk('customer', 'set', 'A', '--discount', '6');
  const lines = (await database.cliOk('customer', 'log', 'A')).split('\n');
  expect(lines.map((line) => line.split(/ {2,}/).slice(1, 5))).toEqual([
    ['what', 'value', 'old', 'new'],
    ['customer', 'DiscountPercentage', '5', '6'],
    ['customer added', 'DiscountPercentage', '-', '5'],
    ['customer added', 'Active', '-', 'true'],
  ]);
  const { code, stderr } = await database.cli('customer', 'log', 'NOPE');
  expect([code, stderr]).toEqual([1, 'There is no customer NOPE; run "customer list" to see all.\n']);
});
