import { DataSource } from 'typeorm';
import { engineOf } from '../src/database/engine-factory.js';
import { foreignConnection } from './support/foreign-connection.js';
import { RunningCommand } from './support/running-command.js';
import { engine, TestDatabase } from './support/test-service.js';

const embedded = engine === 'sqlite';
let database: TestDatabase;
beforeEach(async () => void (database = await TestDatabase.create()));
afterEach(() => database.drop());

test('a migration waits for an answer that reads its table, and no other answer waits for the migration', async () => {
  const dataSource = await new DataSource(engineOf(database.settings()).options).initialize();
  let names: string[];
  // Down to the last one that changes a table of answers.
  do {
    await dataSource.undoLastMigration();
    names = (await database.sql('SELECT name FROM migrations')).map(({ name }) => String(name));
  } while (names.some((name) => name.startsWith('EligibilityIndex')));
  await dataSource.destroy();
  const response = await foreignConnection(database);
  await response.run('BEGIN');
  await response.run('SELECT COUNT(*) AS n FROM products');
  const migration = RunningCommand.start(database.url, ['migrate']);
  // SQLite shows the answer the tables as they were.
  if (!embedded) {
    await migration.printing(/Responses in flight are reading the table/);
    // Long enough to meet each phase of its attempts. Would it hold others up, the answer would never end.
    const until = Date.now() + 6000;
    while (Date.now() < until) await database.sql('SELECT COUNT(*) AS n FROM products');
    await response.run('ROLLBACK');
  }
  expect(await migration.ended).toMatchObject({ code: 0 });
  await response.close();
  expect((await database.sql('SELECT name FROM migrations')).length).toBeGreaterThan(names.length);
});
