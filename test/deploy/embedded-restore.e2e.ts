import Libsql from 'libsql';
import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { describeWith } from '../support/describe-with.js';
import { codeOf, OperatorFolder } from '../support/operations-page.js';
import { schemaText } from '../support/schema.js';
import { smallCatalogue } from '../support/small-catalogue.js';
import { TestDatabase } from '../support/test-service.js';

describeWith('sqlite3', 'a backup of the embedded database', () => {
  let operator: OperatorFolder;
  let database: TestDatabase;
  beforeEach(async () => {
    const url = 'sqlite:data/customer-data.db';
    operator = new OperatorFolder(url);
    mkdirSync(`${operator.path}/data`);
    database = await TestDatabase.at(`sqlite:${operator.path}/data/customer-data.db`);
  });
  afterEach(() => rmSync(operator.path, { recursive: true }));

  const content = async () => ({
    schema: await schemaText(database),
    rows: await Promise.all(
      ['products', 'prices', 'stock', 'customers', 'import_runs'].map((table) =>
        database.sql(`SELECT * FROM ${table} ORDER BY 1, 2`),
      ),
    ),
  });
  const versions = async () =>
    (await database.sql('SELECT Version FROM content_versions')).map(({ Version }) => Version);

  test('the commands of docs/operations.md restore it, and renew all versions', async () => {
    await database.load(smallCatalogue);
    const before = { content: await content(), versions: await versions() };
    await operator.run(codeOf('Back up', 'sh', 'SQLite'));
    // A service that was killed leaves a second file, which would change the restored database.
    const open = new Libsql(`${operator.path}/data/customer-data.db`);
    open.exec(`UPDATE prices SET Price = '999'`);
    cpSync(`${operator.path}/data/customer-data.db-wal`, `${operator.path}/wal`);
    open.close();
    cpSync(`${operator.path}/wal`, `${operator.path}/data/customer-data.db-wal`);

    expect(await operator.run(codeOf('Restore everything', 'sh', 'SQLite', 3))).toBe('');
    expect(await operator.run(codeOf('Restore everything', 'sh', 'SQLite', 4))).toMatch(
      /^The schema is current\.\nRan InitialSchema/,
    );
    expect(await operator.run(codeOf('Restore everything', 'sh', 'SQLite', 5))).toMatch(
      /: 0 without a document, 0 with/,
    );
    expect(await content()).toEqual(before.content);
    const renewed = await versions();
    expect(renewed.length).toBe(before.versions.length);
    expect(renewed.filter((version) => before.versions.includes(version))).toEqual([]);
  }, 60_000);
});
