import { createHash } from 'node:crypto';
import { cells, cliProcess, problem } from './support/commands.js';
import { TestDatabase } from './support/test-service.js';

let database: TestDatabase;
beforeAll(async () => {
  database = await TestDatabase.create();
  await database.cliOk('customer', 'set', 'KEYS');
});
afterAll(() => database.drop());
afterEach(() => database.sql('DELETE FROM api_keys'));

/** Returns the rows of `key list`. */
const list = async () => cells(await database.cliOk('key', 'list', 'KEYS')).slice(1);

test('issue prints only the key, also in a separate process, and only its digest is stored', async () => {
  const results = [await database.cli('key', 'issue', 'KEYS'), await cliProcess(database, 'key', 'issue', 'KEYS')];
  for (const { code, stdout, stderr } of results) {
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    // 43 letters and digits hold 256 bits (docs/decisions.md#19).
    expect(stdout).toMatch(/^[A-Za-z0-9]{43,}\n$/);
  }
  const keys = results.map(({ stdout }) => stdout.trim());
  const rows = await database.sql('SELECT * FROM api_keys ORDER BY ID');
  expect(rows.map(({ Digest }) => Digest)).toEqual(keys.map((key) => createHash('sha256').update(key).digest('hex')));
  expect(new Set(keys).size).toBe(2);
  const shown = JSON.stringify(rows) + (await database.cliOk('key', 'list', 'KEYS'));
  for (const key of keys) expect(shown).not.toContain(key);
});

test('list shows label, state and times of each key, oldest first, and no digest', async () => {
  await database.cliOk('key', 'issue', 'KEYS', '--label', 'first of two', '--expires', '2999-12-31');
  await database.cliOk('key', 'issue', 'KEYS', '--expires', '2998-12-31');
  await database.sql(`UPDATE api_keys SET ExpiresAt = '2020-03-01 00:00:00.000' WHERE ExpiresAt LIKE '2999-01-01%'`);
  await database.cliOk('key', 'issue', 'KEYS', '--label', '😀 é');
  const rows = await list();
  expect(rows.map(([, label, state, , expires, revoked]) => [label, state, expires, revoked])).toEqual([
    ['first of two', 'live', '3000-01-01T00:00:00.000Z', '-'],
    ['-', 'expired', '2020-03-01T00:00:00.000Z', '-'],
    ['😀 é', 'live', '-', '-'],
  ]);
  for (const [, , , created] of rows) expect(Math.abs(Date.parse(created!) - Date.now())).toBeLessThan(30_000);
  const [{ Digest }] = (await database.sql('SELECT Digest FROM api_keys')) as [{ Digest: string }];
  expect(await database.cliOk('key', 'list', 'KEYS')).not.toContain(Digest.slice(0, 8));
});

test('a label can have 255 characters of any size in bytes', async () => {
  for (const character of ['x', '😀']) {
    await database.cliOk('key', 'issue', 'KEYS', '--label', character.repeat(255));
    expect(await problem(database.cli('key', 'issue', 'KEYS', '--label', character.repeat(256)))).toContain(
      'It has more than 255 characters.',
    );
  }
  expect((await list()).map(([, label]) => label)).toEqual(['x'.repeat(255), '😀'.repeat(255)]);
});

test('issue refuses a day in the past, because the key would never work', async () => {
  const message = await problem(database.cli('key', 'issue', 'KEYS', '--expires', '2020-02-29'));
  expect(message).toContain('That day is in the past');
  expect(await list()).toEqual([]);
});

test.each(['tomorrow', '2027-02-29', '2027-13-01', '2027-1-5', '31.12.2027', '2027-12-31T00:00', '20271231', ''])(
  'issue refuses the expiry %j and issues no key',
  async (day) => {
    const message = await problem(database.cli('key', 'issue', 'KEYS', '--expires', day));
    expect(message).toContain(`option '--expires <date>' argument '${day}' is invalid`);
    expect(message).toContain('It must be a day in the form YYYY-MM-DD.');
    expect(await list()).toEqual([]);
  },
);

test('revoke ends one key at once, and a repetition changes nothing', async () => {
  for (const label of ['one', 'two']) await database.cliOk('key', 'issue', 'KEYS', '--label', label);
  const [[id]] = (await list()) as [string[]];
  expect(await database.cliOk('key', 'revoke', id!)).toBe(`Revoked key ${id}.`);
  const revoked = await list();
  expect(revoked.map(([, label, state]) => [label, state])).toEqual([
    ['one', 'revoked'],
    ['two', 'live'],
  ]);
  expect(Math.abs(Date.parse(revoked[0]![5]!) - Date.now())).toBeLessThan(30_000);
  await database.cliOk('key', 'revoke', id!);
  expect(await list()).toEqual(revoked);
});

test.each([
  [['revoke', '999999'], 'There is no key 999999; run "key list CODE" to see the keys of a customer.'],
  [['revoke', 'KEYS'], "argument 'id'. It must be a number."],
  [['revoke', '1 OR 1=1'], "argument 'id'. It must be a number."],
  [['issue', 'keys'], 'There is no customer keys; run "customer list" to see all, or "customer set" to create one.'],
  [['list', 'keys'], 'There is no customer keys; run "customer list" to see all, or "customer set" to create one.'],
])('%j is refused with a message that names a remedy', async (args, fault) => {
  await database.cliOk('key', 'issue', 'KEYS');
  expect(await problem(database.cli('key', ...args))).toContain(fault);
  expect((await list()).map(([, , state]) => state)).toEqual(['live']);
});
