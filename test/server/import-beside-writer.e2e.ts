import { BEGIN, type ForeignConnection, foreignConnection } from '../support/foreign-connection.js';
import { importFiles } from '../support/import-files.js';
import { lockWaits } from '../support/server-sessions.js';
import { TestDatabase } from '../support/test-service.js';
import { until } from '../support/until.js';

// An import into an empty table makes no lookups between its statements. It has read its second batch when another
// program makes the first one fail.

/** More than the rows of two statements. */
const SKUS = Array.from({ length: 2_500 }, (_, index) => `S${String(index).padStart(4, '0')}`);

let database: TestDatabase;
let foreign: ForeignConnection;
beforeEach(async () => {
  database = await TestDatabase.create();
  foreign = await foreignConnection(database);
  const products = importFiles({ 'products.csv': SKUS.map((sku) => [sku]) });
  await database.load({ ...products, ...importFiles({ 'warehouses.csv': [['W', 'before']] }) });
  await foreign.run(BEGIN);
});
afterEach(() => database.drop());

const STOCK = importFiles({ 'stock.csv': SKUS.map((sku) => ['W', sku, '2']) });

/** Begins an import. Resolves when it waits for a row that the other program has locked. */
async function waitingImport(files: Record<string, string>): Promise<{ ended: ReturnType<TestDatabase['cli']> }> {
  const ended = database.cli('import', await database.files(files));
  await until('the import waits for a lock', () => lockWaits(database));
  return { ended };
}

test('an import that a deadlock rolls back writes no row of its next batch', async () => {
  // The server rolls back the transaction that has changed fewer rows.
  await foreign.run(`UPDATE products SET Name = 'foreign'`);
  const importing = await waitingImport({ ...importFiles({ 'warehouses.csv': [['W', 'after']] }), ...STOCK });
  await foreign.run(`UPDATE warehouses SET WarehouseName = 'foreign'`);
  await foreign.run('COMMIT');
  const { code, stderr } = await importing.ended;
  expect([code, stderr]).toEqual([1, expect.stringContaining('Deadlock')]);
  expect(await database.sql('SELECT SKU FROM stock')).toEqual([]);
});

test('an import into an empty table that gets a row at the same time writes nothing and says so', async () => {
  await foreign.run(`INSERT INTO stock (WarehouseCode, SKU, AvailableQTY) VALUES ('W', '${SKUS[0]}', 7)`);
  const importing = await waitingImport(STOCK);
  await foreign.run('COMMIT');
  const { code, stderr } = await importing.ended;
  expect([code, stderr]).toEqual([
    1,
    expect.stringContaining('added this row at the same time. Run the command again'),
  ]);
  expect(await database.sql('SELECT SKU FROM stock')).toEqual([{ SKU: SKUS[0] }]);
});
