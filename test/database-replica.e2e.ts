import { deltaSince, wholeState } from './support/change-oracle.js';
import { A, smallCatalogue } from './support/small-catalogue.js';
import { importFiles } from './support/import-files.js';
import { TcpProxy } from './support/tcp-proxy.js';
import { engine, TestDatabase, TestService } from './support/test-service.js';
import { until } from './support/until.js';

if (engine === 'sqlite') {
  test('the embedded database rejects the setting DATABASE_REPLICA_URLS', async () => {
    const database = await TestDatabase.create();
    expect(() => database.settings({ DATABASE_REPLICA_URLS: 'mysql://root@localhost/x' })).toThrow(
      'DATABASE_REPLICA_URLS needs a DATABASE_URL that is mysql://…',
    );
    await database.drop();
  });
} else {
  /** The replica has the versions of the primary but another stock quantity, which shows the source of a response. */
  let primary: TestDatabase;
  let replica: TestDatabase;
  beforeEach(async () => {
    [primary, replica] = [await TestDatabase.create(), await TestDatabase.create()];
    for (const database of [primary, replica]) await database.load(smallCatalogue);
    await primary.load(importFiles({ 'stock.csv': [['WH-A', 'SHARED', '99']] }));
    await claimContent();
  });
  afterEach(() => Promise.all([primary.drop(), replica.drop()]));

  const loadStock = (available: string) => primary.load(importFiles({ 'stock.csv': [['WH-A', 'SHARED', available]] }));

  /** Gives the replica the versions of the first database, as replication would. */
  const claimContent = () =>
    replica.sql([
      'DELETE FROM content_versions',
      `INSERT INTO content_versions SELECT * FROM ${new URL(primary.url).pathname.slice(1)}.content_versions`,
    ]);

  test('the service reads downloads from a replica, and credentials from the server', async () => {
    const service = await TestService.start(
      { RESPONSE_CACHE_MEGABYTES: '0', DATABASE_REPLICA_URLS: replica.url },
      primary,
    );
    // The key exists on the server only.
    const token = await service.token(A);
    expect(await quantity(service, token)).toBe(7);
    await replica.load(importFiles({ 'stock.csv': [['WH-A', 'SHARED', '99']] }));
    expect(await quantity(service, token)).toBe(99);
    await service.stop();
  });

  test('revoking a key revokes its tokens while a replica that lags still has the key (decision 116)', async () => {
    const service = await TestService.start(
      { RESPONSE_CACHE_MEGABYTES: '0', DATABASE_REPLICA_URLS: replica.url },
      primary,
    );
    const [token] = [await service.token(A), await replica.cliOk('key', 'issue', A)];
    const [[key], [copy]] = await Promise.all([primary, replica].map((one) => one.sql('SELECT ID FROM api_keys')));
    expect(copy).toEqual(key);
    expect(await quantity(service, token)).toBe(7);
    await primary.cliOk('key', 'revoke', String(key!.ID));
    expect((await service.get('/stock', token)).status).toBe(401);
    await service.stop();
  });

  test('the service does not return 304 for the ETag of a replica that lags', async () => {
    const service = await TestService.start(
      { RESPONSE_CACHE_MEGABYTES: '0', DATABASE_REPLICA_URLS: replica.url },
      primary,
    );
    const token = await service.token(A);
    expect(await quantity(service, token)).toBe(7);
    await primary.load(importFiles({ 'stock.csv': [['WH-A', 'SHARED', '98']] }));
    const first = await service.get('/stock', token);
    const tag = first.headers.get('ETag')!;
    expect(await first.text()).toContain('"AvailableQTY":7');
    const again = await fetch(`${service.url}/stock`, {
      headers: { Authorization: `Bearer ${token}`, 'If-None-Match': tag },
    });
    expect(again.status).toBe(200);
    await again.text();
    await service.stop();
  });

  describe('changes from a replica that lags', () => {
    /** The tables that the test replicates. */
    const TABLES = ['content_versions', 'version_history', 'changed_skus', 'stock', 'customers'];
    let service: TestService;
    let current: TestService;
    let token: string;
    beforeEach(async () => {
      await replicate();
      service = await TestService.start({ JWT_SECRET, DATABASE_REPLICA_URLS: replica.url }, primary);
      current = await TestService.start({ JWT_SECRET }, primary);
      token = await service.token(A);
    });
    afterEach(() => Promise.all([service.stop(), current.stop()]));

    const JWT_SECRET = 's'.repeat(40);

    async function replicate(): Promise<void> {
      const from = new URL(primary.url).pathname.slice(1);
      const copies = TABLES.flatMap((table) => {
        const copy = `INSERT INTO ${table} SELECT * FROM ${from}.${table}`;
        return [`DELETE FROM ${table}`, copy];
      });
      await replica.sql(['SET FOREIGN_KEY_CHECKS = 0', 'SET @customer_data_import = 1', ...copies]);
    }

    test('the replica returns the delta if it knows the base', async () => {
      const { etag } = await wholeState(current, '/stock', token);
      await loadStock('98');
      await replicate();
      await loadStock('97');
      const delta = await deltaSince(service, '/stock', token, etag);
      expect([delta?.complete, delta?.changed.get('SHARED')]).toEqual([false, expect.stringContaining(':98')]);
    });

    test('the server returns the delta if the replica does not know the base yet', async () => {
      await loadStock('98');
      const { etag } = await wholeState(current, '/stock', token);
      await loadStock('97');
      const delta = await deltaSince(service, '/stock', token, etag);
      expect([delta?.complete, delta?.changed.get('SHARED')]).toEqual([false, expect.stringContaining(':97')]);
    });

    test('the server returns the delta if the replica does not know the terms of the base yet', async () => {
      await primary.cliOk('customer', 'set', A, '--discount', '3', '--allow-price-changes');
      const { etag } = await wholeState(current, '/stock', token);
      await loadStock('97');
      const delta = await deltaSince(service, '/stock', token, etag);
      expect([delta?.complete, delta?.changed.get('SHARED')]).toEqual([false, expect.stringContaining(':97')]);
    });

    test('the delta is empty if the base is the old state that the replica still has', async () => {
      const { etag } = await wholeState(current, '/stock', token);
      await loadStock('97');
      const delta = await deltaSince(service, '/stock', token, etag);
      expect([delta?.complete, delta?.changed.size, delta?.gone]).toEqual([false, 0, []]);
      await replicate();
      const next = await deltaSince(service, '/stock', token, delta!.etag);
      expect([next?.complete, next?.changed.get('SHARED')]).toEqual([false, expect.stringContaining(':97')]);
    });
  });

  test('the service does not read from a replica that lacks a table (decision 101)', async () => {
    await replica.sql('ALTER TABLE import_runs RENAME TO elsewhere');
    const service = await TestService.start(
      { RESPONSE_CACHE_MEGABYTES: '0', DATABASE_REPLICA_URLS: replica.url },
      primary,
    );
    const token = await service.token(A);
    expect(await quantity(service, token)).toBe(99);
    await replica.sql('ALTER TABLE elsewhere RENAME TO import_runs');
    await untilReplicaResponds(service, token);
    await service.stop();
  });

  test('the service reads from the server if no replica responds', async () => {
    const missing = 'mysql://root@127.0.0.1:1/missing';
    const service = await TestService.start({ RESPONSE_CACHE_MEGABYTES: '0', DATABASE_REPLICA_URLS: missing }, primary);
    expect(await quantity(service, await service.token(A))).toBe(99);
    await service.stop();
  });

  test('the service reads from a replica that becomes available after the start', async () => {
    const proxy = new TcpProxy(replica.url);
    const url = await proxy.reservedUrl();
    const service = await TestService.start(
      { RESPONSE_CACHE_MEGABYTES: '0', DATABASE_REPLICA_URLS: url, DATABASE_WAIT_MS: '2000' },
      primary,
    );
    const token = await service.token(A);
    for (let call = 0; call < 10; call++) expect(await quantity(service, token)).toBe(99);
    await proxy.open();
    await untilReplicaResponds(service, token);
    await service.stop();
    proxy.close();
  });

  test('if the replica hangs, the service reads from the primary server after a wait', async () => {
    const proxy = new TcpProxy(replica.url);
    const url = await proxy.reservedUrl();
    await proxy.open();
    const service = await TestService.start(
      { RESPONSE_CACHE_MEGABYTES: '0', DATABASE_REPLICA_URLS: url, DATABASE_WAIT_MS: '500' },
      primary,
    );
    const token = await service.token(A);
    expect(await quantity(service, token)).toBe(7);
    proxy.hang();
    for (let call = 0; call < 3; call++) expect(await quantity(service, token)).toBe(99);
    proxy.close();
    await service.stop();
  });

  test('the service skips a replica that does not respond', async () => {
    const urls = `mysql://root@127.0.0.1:1/missing,${replica.url}`;
    const service = await TestService.start({ RESPONSE_CACHE_MEGABYTES: '0', DATABASE_REPLICA_URLS: urls }, primary);
    const token = await service.token(A);
    for (let call = 0; call < 10; call++) expect([7, 99]).toContain(await quantity(service, token));
    await service.stop();
  });

  const untilReplicaResponds = (service: TestService, token: string) =>
    until('responses come from the replica', async () => (await quantity(service, token)) === 7);

  test('a lost replica delays no request after the first, and is used again when it is back (decision 75)', async () => {
    const proxy = new TcpProxy(replica.url);
    const urls = { DATABASE_REPLICA_URLS: await proxy.reservedUrl() };
    await proxy.open();
    const service = await TestService.start(
      { RESPONSE_CACHE_MEGABYTES: '0', ...urls, DATABASE_WAIT_MS: '1000' },
      primary,
    );
    const token = await service.token(A);
    expect(await quantity(service, token)).toBe(7);
    proxy.close();
    for (let call = 0; call < 10; call++) expect(await quantity(service, token)).toBe(99);
    await proxy.open();
    await untilReplicaResponds(service, token);
    proxy.hang();
    // The first request detects that the replica hangs.
    expect(await quantity(service, token)).toBe(99);
    for (let call = 0; call < 10; call++) {
      const start = performance.now();
      expect(await quantity(service, token)).toBe(99);
      expect(performance.now() - start).toBeLessThan(1000);
    }
    proxy.resume();
    await untilReplicaResponds(service, token);
    const logged = service.log
      .filter((line) => line.includes('The replica'))
      .map((line) => / (lost|back)/.exec(line)![1]);
    expect(logged).toEqual(['lost', 'back', 'lost', 'back']);
    await service.stop();
    proxy.close();
  });

  test('the service reads from a replica only after it has every migration (decision 75)', async () => {
    const [latest] = await replica.sql('SELECT name FROM migrations ORDER BY id DESC LIMIT 1');
    await replica.sql('DELETE FROM migrations WHERE name = ?', [latest!.name]);
    // Undoes a change of a migration, as if it had not reached the replica yet.
    await replica.sql('DROP INDEX products_eligibility ON products');
    const service = await TestService.start(
      { RESPONSE_CACHE_MEGABYTES: '0', DATABASE_REPLICA_URLS: replica.url },
      primary,
    );
    const token = await service.token(A);
    for (let call = 0; call < 10; call++) expect(await quantity(service, token)).toBe(99);
    expect(service.log.join()).toContain('is lost (The database lacks 1 migration(s)');
    await replica.sql('CREATE INDEX products_eligibility ON products (SKU, Status)');
    await replica.sql('INSERT INTO migrations (timestamp, name) VALUES (0, ?)', [latest!.name]);
    await untilReplicaResponds(service, token);
    await service.stop();
  });

  test('the error of an invalid replica URL names the setting without its password', () => {
    expect(() => primary.settings({ DATABASE_REPLICA_URLS: 'mysql://root:hunter2@host' })).toThrow(
      /^(?!.*hunter2).*DATABASE_REPLICA_URLS must be mysql:/s,
    );
  });
}

/** Returns the quantity in the response to customer A. */
async function quantity(service: TestService, token: string): Promise<number> {
  const stock = JSON.parse(await service.text('/stock', token)) as { SKU: string; AvailableQTY: number }[];
  return stock.find(({ SKU }) => SKU === 'SHARED')!.AvailableQTY;
}
