import { DataSource } from 'typeorm';
import { engineOf } from '../src/database/engine-factory.js';
import { foreignConnection } from './support/foreign-connection.js';
import { RunningCommand } from './support/running-command.js';
import { engine, TestDatabase } from './support/test-service.js';

const embedded = engine === 'sqlite';
let database: TestDatabase;
beforeEach(async () => void (database = await TestDatabase.create()));
afterEach(() => database.drop());

test('a migration waits for a response that reads its table, and blocks no other response', async () => {
  const dataSource = await new DataSource(engineOf(database.settings()).options).initialize();
  let names: string[];
  // Undoes migrations down to the last one that changes a table which responses read.
  do {
    await dataSource.undoLastMigration();
    names = (await database.sql('SELECT name FROM migrations')).map(({ name }) => String(name));
  } while (names.some((name) => name.startsWith('EligibilityIndex')));
  await dataSource.destroy();
  const response = await foreignConnection(database);
  await response.run('BEGIN');
  await response.run('SELECT COUNT(*) AS n FROM products');
  const migration = RunningCommand.start(database.url, ['migrate']);
  // On SQLite, the response reads the tables as they were, so nothing waits.
  if (!embedded) {
    await migration.printing(/Responses in flight are reading the table/);
    // This time covers each phase of the attempts. If the migration blocked these statements, the loop would not end.
    const until = Date.now() + 6000;
    while (Date.now() < until) await database.sql('SELECT COUNT(*) AS n FROM products');
    await response.run('ROLLBACK');
  }
  expect(await migration.ended).toMatchObject({ code: 0 });
  await response.close();
  expect((await database.sql('SELECT name FROM migrations')).length).toBeGreaterThan(names.length);
});
