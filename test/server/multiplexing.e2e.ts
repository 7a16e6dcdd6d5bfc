import { runCli } from '../../src/cli/program.js';
import { MultiplexingProxy } from '../support/multiplexing-proxy.js';
import { TestDatabase } from '../support/test-service.js';

let database: TestDatabase;
let proxy: MultiplexingProxy;
let url: string;
beforeAll(async () => {
  database = await TestDatabase.create();
  proxy = new MultiplexingProxy(database.url);
  url = await proxy.open(database.url);
});
afterAll(async () => {
  proxy.close();
  await database.drop();
});

test('an import through a proxy that loses its lock writes nothing and names the remedy (decision 202)', async () => {
  const folder = await database.files({ 'warehouses.csv': 'WarehouseCode\nNL01\n' });
  let stderr = '';
  const output = { stdout: { write: () => undefined }, stderr: { write: (text: string) => void (stderr += text) } };
  const code = await runCli(['import', folder], output, () => database.settings({ DATABASE_URL: url }));
  expect([code, stderr]).toEqual([1, expect.stringContaining('has lost the lock of this command')]);
  expect(await database.sql('SELECT * FROM warehouses')).toEqual([]);
});
