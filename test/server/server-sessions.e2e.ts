import { type ForeignConnection, foreignConnection } from '../support/foreign-connection.js';
import { killSessionsOn, lockWait, lockWaits, sessionsOn } from '../support/server-sessions.js';
import { TestDatabase } from '../support/test-service.js';
import { until } from '../support/until.js';

// Other tests find the sessions of their database with these functions, while further tests use the same server.

let database: TestDatabase;
let holder: ForeignConnection;
let waiter: ForeignConnection;
beforeEach(async () => {
  database = await TestDatabase.create();
  await database.sql(`INSERT INTO warehouses (WarehouseCode) VALUES ('W')`);
  [holder, waiter] = [await foreignConnection(database), await foreignConnection(database)];
});
afterEach(() => database.drop());

test('a statement with an emoji hides neither the sessions nor the one that waits for a lock', async () => {
  await holder.run('START TRANSACTION');
  await holder.run(`UPDATE warehouses SET WarehouseName = 'held'`);
  expect(await lockWaits(database)).toBe(0);
  const waiting = waiter.run(`UPDATE warehouses SET WarehouseName = '🎃'`);
  await lockWait(database);
  expect([await lockWaits(database), (await sessionsOn(database)).length]).toEqual([1, 2]);
  await holder.run('ROLLBACK');
  await waiting;
  expect(await lockWaits(database)).toBe(0);
});

test('the sessions of other clients on a database end, and none on another database', async () => {
  const other = await TestDatabase.create();
  const untouched = await foreignConnection(other);
  expect(await killSessionsOn(database)).toBe(2);
  await until('the sessions end', async () => !(await sessionsOn(database)).length);
  await untouched.run('SELECT 1');
  await other.drop();
});

describe('a connection that a test does not close', () => {
  let kept: TestDatabase;
  beforeAll(async () => {
    kept = await TestDatabase.create();
  });
  afterAll(() => kept.drop());

  test('is open during the test', async () => {
    await foreignConnection(kept);
    expect(await sessionsOn(kept)).toHaveLength(1);
  });

  test('is closed before the next test', async () => {
    await until('the session ends', async () => !(await sessionsOn(kept)).length);
  });
});
