import { DataSource } from 'typeorm';
import { ServerEngine } from '../../src/database/server-engine.js';
import { describeWith } from '../support/describe-with.js';
import { GaleraCluster } from '../support/galera.js';
import { importFiles } from '../support/import-files.js';
import { smallCatalogue } from '../support/small-catalogue.js';
import { TestDatabase } from '../support/test-service.js';

describeWith('galera', 'a Galera cluster', () => {
  let cluster: GaleraCluster;
  /** The database, through each node. */
  let one: TestDatabase;
  let two: TestDatabase;
  /** Transactions on the first node. */
  let engine: ServerEngine;
  let dataSource: DataSource;
  beforeAll(async () => {
    cluster = await GaleraCluster.start();
    const [first, second] = cluster.urls as [string, string];
    one = await TestDatabase.create({ server: first });
    await one.load(smallCatalogue);
    two = await TestDatabase.at(Object.assign(new URL(one.url), { port: new URL(second).port }).href);
    engine = new ServerEngine(one.settings());
    dataSource = new DataSource(engine.options);
    await engine.open(dataSource);
  }, 120_000);
  afterAll(async () => {
    await engine?.close();
    await dataSource?.destroy();
    await cluster?.stop();
  });

  test('an import fails if an import on another node commits meanwhile, although they share no row (decision 202)', async () => {
    const first = engine.write(dataSource, async ({ query }) => {
      await query('SELECT * FROM stock');
      await two.load(importFiles({ 'stock.csv': [['WH-A', 'SHARED', '77']] }));
    });
    await expect(first).rejects.toThrow(/Run the command again.*on the same node/);
    expect(await one.sql(`SELECT TableName FROM imported_tables WHERE TableName = ''`)).toEqual([]);
  });

  test('a command repeats its transaction if another node changed the same row (decision 202)', async () => {
    const append = `UPDATE warehouses SET WarehouseName = CONCAT(COALESCE(WarehouseName, ''), ?) WHERE WarehouseCode = 'WH-A'`;
    let attempts = 0;
    await engine.change(dataSource, async ({ query }) => {
      await query(append, ['b']);
      if (!attempts++) await two.sql(append, ['a']);
    });
    const [row] = await one.sql(`SELECT WarehouseName AS name FROM warehouses WHERE WarehouseCode = 'WH-A'`);
    expect([attempts, String(row!.name).slice(-2)]).toEqual([2, 'ab']);
  });
});
