import type { NestExpressApplication } from '@nestjs/platform-express';
import { ApiKeysService } from '../src/auth/api-keys.service.js';
import { cells, problem } from './support/commands.js';
import { call, tokenCall, tokenIn } from './support/http-call.js';
import { startWithApp } from './support/running-app.js';
import { A, smallCatalogue } from './support/small-catalogue.js';
import type { TestService } from './support/test-service.js';

const DAY_MS = 86_400_000;
let service: TestService;
let app: NestExpressApplication;
beforeAll(async () => {
  ({ service, app } = await startWithApp());
  await service.database.load(smallCatalogue);
  for (const code of ['K', 'L', 'OFF']) await service.database.cliOk('customer', 'set', code);
});
afterAll(() => service.close());
beforeEach(() => service.database.sql(['DELETE FROM api_keys', 'DELETE FROM terms_changes']));

const cli = (...args: string[]) => service.database.cliOk(...args);
const sql = (statement: string, parameters?: unknown[]) => service.database.sql(statement, parameters);
const login = async (code: string, key: string) => (await call(service.url, tokenCall(code, key))).status;
/** Issues a key. @returns its ID */
async function issue(code: string, ...options: string[]): Promise<string> {
  await cli('key', 'issue', code, ...options);
  return String((await sql('SELECT MAX(ID) AS id FROM api_keys'))[0]!.id);
}
/** Stores the expiry of a key, in days from now. */
const expireIn = (id: string, days: number) =>
  sql('UPDATE api_keys SET ExpiresAt = ? WHERE ID = ?', [
    new Date(Date.now() + days * DAY_MS).toISOString().replace('T', ' ').replace('Z', ''),
    id,
  ]);
/** Returns label, state and days until the expiry of each key of a customer. */
const listed = async (code: string) =>
  cells(await cli('key', 'list', code))
    .slice(1)
    .map(([, label, state, , expires]) => [label, state, daysUntil(expires!)]);
const daysUntil = (time: string) => (time === '-' ? null : Math.round((Date.parse(time) - Date.now()) / DAY_MS));

const expiring = async (...args: string[]) => cells(await cli('key', 'list', ...args)).slice(1);

/** Returns the days until the time in the metric; undefined if the metric has no value. */
async function daysInMetric(): Promise<number | undefined> {
  const text = await (await fetch(`${service.managementUrl}/metrics`)).text();
  const [, value] = /^customer_data_customer_access_ends_timestamp_seconds (\S+)$/m.exec(text) ?? [];
  return value === undefined ? undefined : Math.round((Number(value) * 1000 - Date.now()) / DAY_MS);
}

describe('key rotate (decision 212)', () => {
  test('issues a key, and the old one works until the overlap ends', async () => {
    const old = await cli('key', 'issue', 'K', '--label', 'shop');
    const token = tokenIn(await call(service.url, tokenCall('K', old)));
    const { code, stdout, stderr } = await service.database.cli('key', 'rotate', 'K', '--overlap', '2d');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^[A-Za-z0-9]{43,}\n$/);
    expect(stderr).toMatch(/^Key \d+ replaces key \d+, which works until \d{4}-\S+Z\. Key \d+ never expires\.\n$/);
    expect(await listed('K')).toEqual([
      ['shop', 'live', 2],
      ['shop', 'live', null],
    ]);
    expect([await login('K', old), await login('K', stdout.trim())]).toEqual([200, 200]);
    // The end of the overlap ends the old key and its tokens.
    await sql('UPDATE api_keys SET ExpiresAt = ? WHERE ExpiresAt IS NOT NULL', ['2026-01-01 00:00:00.000']);
    expect([await login('K', old), await login('K', stdout.trim())]).toEqual([401, 200]);
    expect((await service.get('/stock', token)).status).toBe(401);
  });

  test('keeps both keys for 14 days by default, and takes the label and the last day of the new key', async () => {
    await issue('K', '--label', 'shop', '--expires', '2998-12-31');
    const { stderr } = await service.database.cli('key', 'rotate', 'K', '--label', 'new', '--expires', '2999-12-31');
    expect(stderr).toMatch(/ expires at 3000-01-01T00:00:00\.000Z\.\n$/);
    expect((await listed('K')).map(([label, , days]) => [label, Number(days) > 14])).toEqual([
      ['shop', false],
      ['new', true],
    ]);
  });

  test('replaces the named key, and leaves the other keys unchanged', async () => {
    const ids = [await issue('K', '--label', 'shop'), await issue('K', '--label', 'erp')];
    const message = await problem(service.database.cli('key', 'rotate', 'K'));
    expect(message).toBe(
      `K has several keys that work until then: ${ids[0]} (shop), ${ids[1]} (erp). Name one, such as --key ${ids[0]}.\n`,
    );
    await cli('key', 'rotate', 'K', '--key', ids[1]!);
    expect(await listed('K')).toEqual([
      ['shop', 'live', null],
      ['erp', 'live', 14],
      ['erp', 'live', null],
    ]);
  });

  test('ignores keys that expire before the overlap ends, so that it can be repeated', async () => {
    await issue('K', '--label', 'shop');
    for (const overlap of ['3d', '5d']) await cli('key', 'rotate', 'K', '--overlap', overlap);
    expect((await listed('K')).map(([, , days]) => days)).toEqual([3, 5, null]);
  });

  test('issues one key if two operators rotate the same key at the same time', async () => {
    await issue('K');
    const keys = app.get(ApiKeysService);
    const [old] = await keys.list('K');
    const rotate = (days: number) =>
      keys.rotate(old!, new Date(Date.now() + days * DAY_MS), { Label: null, ExpiresAt: null });
    expect(await rotate(5)).toMatchObject({ key: expect.any(String) });
    // For this operator, the old key still works long enough.
    expect(await rotate(3)).toBeUndefined();
    expect((await listed('K')).map(([, , days]) => days)).toEqual([5, null]);
  });

  test('records the old and the new expiry', async () => {
    const id = await issue('K', '--label', 'shop');
    await cli('key', 'rotate', 'K');
    const log = cells(await cli('customer', 'log', 'K')).map(([, what, value, old, now]) => [what, value, old, now]);
    expect(log).toContainEqual([`key ${id}`, 'ExpiresAt', '-', expect.stringMatching(/^\d{4}-.*Z$/)]);
    expect(log).toContainEqual([`key ${Number(id) + 1} added`, 'Label', '-', 'shop']);
  });

  test.each<[string, string[], RegExp]>([
    ['an unknown customer', ['k'], /^There is no customer k; run "customer list"/],
    [
      'a customer without keys',
      ['L'],
      /^No key of L works until \S+Z or longer\. To add a key, run "key issue L"\.\n$/,
    ],
    [
      'a key of another customer',
      ['K', '--key', '$L'],
      /^Key \d+ is no key of K that works until \S+Z or longer\. Keys that do: \d+ \(no label\)\.\n$/,
    ],
    [
      'a new key that expires first',
      ['K', '--expires', '$TOMORROW'],
      /^The new key would expire before the old one: choose a later --expires\.\n$/,
    ],
    ['an overlap without a unit', ['K', '--overlap', '14'], /Write a duration such as 90m, 6h or 2d\./],
    ['no overlap', ['K', '--overlap', '0d'], /Write a duration such as 90m, 6h or 2d\./],
  ])('refuses %s and issues no key', async (what, args, message) => {
    await issue('K');
    const other = what.startsWith('a key of') ? await issue('L') : '';
    const tomorrow = new Date(Date.now() + DAY_MS).toISOString().slice(0, 10);
    const actual = args.map((arg) => ({ $L: other, $TOMORROW: tomorrow })[arg] ?? arg);
    const before = await sql('SELECT ID, ExpiresAt FROM api_keys');
    expect(await problem(service.database.cli('key', 'rotate', ...actual))).toMatch(message);
    expect(await sql('SELECT ID, ExpiresAt FROM api_keys')).toEqual(before);
  });
});

describe('key list --expiring (decision 212)', () => {
  test('lists the keys of active customers that expire soon, the first to expire first', async () => {
    const [soon, later, past, longPast, revoked, off] = [
      await issue('L', '--label', 'soon'),
      await issue('K', '--label', 'later'),
      await issue(A, '--label', 'past'),
      await issue(A, '--label', 'long past'),
      await issue('K', '--label', 'revoked'),
      await issue('OFF', '--label', 'off'),
    ];
    await issue('K', '--label', 'never');
    for (const [id, days] of [
      [soon, 10],
      [later, 29],
      [past, -6],
      [longPast, -8],
      [revoked, 5],
      [off, 5],
    ] as const)
      await expireIn(id, days);
    await cli('key', 'revoke', revoked);
    await cli('customer', 'set', 'OFF', '--inactive');
    const rows = await expiring('--expiring', '30d');
    const never = Number(off) + 1;
    expect(
      rows.map(([customer, id, label, state, , expires, laterKey]) => [
        customer,
        id,
        label,
        state,
        daysUntil(expires!),
        laterKey,
      ]),
    ).toEqual([
      [A, past, 'past', 'expired', -6, '-'],
      ['L', soon, 'soon', 'live', 10, '-'],
      ['K', later, 'later', 'live', 29, String(never)],
    ]);
    expect((await expiring('--expiring', '20d')).map(([, id]) => id)).toEqual([past, soon]);
    expect((await expiring('K', '--expiring', '30d')).map(([, id]) => id)).toEqual([later]);
  });

  test('needs a customer or a period', async () => {
    expect(await problem(service.database.cli('key', 'list'))).toBe(
      'Name a customer, or pass --expiring 30d for the expiring keys of all customers.\n',
    );
  });
});

describe('the metric of expiring keys (decision 212)', () => {
  let minutes = 0;
  /** Returns what the metric shows five minutes later. */
  const daysInNextMetric = () => {
    minutes += 5;
    return daysInMetric();
  };
  beforeAll(() => {
    const { now } = Date;
    jest.spyOn(Date, 'now').mockImplementation(() => now() + minutes * 60_000);
  });
  afterAll(() => jest.restoreAllMocks());

  test('has the time at which the first customer loses its last key', async () => {
    expect(await daysInNextMetric()).toBeUndefined();
    const [first, second, longer, off] = [await issue('K'), await issue('L'), await issue('L'), await issue('OFF')];
    await expireIn(first, 20);
    await expireIn(second, 10);
    await expireIn(longer, 40);
    await expireIn(off, 5);
    await cli('customer', 'set', 'OFF', '--inactive');
    expect(await daysInNextMetric()).toBe(20);
    await cli('key', 'rotate', 'K', '--overlap', '1d');
    // The keys are read every five minutes.
    expect(await daysInMetric()).toBe(20);
    expect(await daysInNextMetric()).toBe(40);
    await cli('key', 'revoke', second);
    await expireIn(longer, -6);
    expect(await daysInNextMetric()).toBe(-6);
    await expireIn(longer, -8);
    expect(await daysInNextMetric()).toBeUndefined();
    await expireIn(longer, 91);
    expect(await daysInNextMetric()).toBeUndefined();
  });
});
