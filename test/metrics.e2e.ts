import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { call, tokenCall, tokenIn } from './support/http-call.js';
import { importFiles } from './support/import-files.js';
import { ServiceProcess } from './support/service-process.js';
import { A, smallCatalogue } from './support/small-catalogue.js';
import { engine, TestDatabase } from './support/test-service.js';

let database: TestDatabase;
let service: ServiceProcess;
beforeEach(async () => {
  database = await TestDatabase.create();
  service = ServiceProcess.start(
    { DATABASE_URL: database.url, DEMO_DATA: 'false', REQUESTS_PER_MINUTE: '8' },
    database.folder,
  );
});
afterEach(async () => {
  await service.stop('SIGKILL');
  await database.drop();
});

/** Returns the samples of a metric of the service by their labels. */
const samples = (text: string, name: string) =>
  Object.fromEntries(
    [...text.matchAll(new RegExp(`^customer_data_${name}(\\{.*\\})? (\\S+)$`, 'gm'))].map(([, labels, value]) => [
      labels ?? '',
      Number(value),
    ]),
  );
const scrape = async (managementUrl: string) => (await fetch(`${managementUrl}/metrics`)).text();

test('counts each response once, under bounded labels, and exposes it only on the management port (decision 81)', async () => {
  const { url, managementUrl } = await service.ports();
  const version = await fetch(`${url}/api/version?secret=x`);
  // Without this Cache-Control, fetch would add "no-cache" to a conditional request.
  const unchanged = { 'If-None-Match': version.headers.get('ETag')!, 'Cache-Control': 'max-age=0' };
  const calls: [string, RequestInit][] = [
    ['/api/version', { headers: unchanged }],
    ['/api/version', { method: 'HEAD' }],
    ['/products', {}],
    ['/metrics', {}],
    ['/products', { method: 'DELETE' }],
  ];
  const statuses = [version.status];
  for (const [path, init] of calls) statuses.push((await fetch(`${url}${path}`, init)).status);
  expect(statuses).toEqual([200, 304, 200, 401, 404, 405]);
  // Sends two pipelined requests, then one that exceeds the quota.
  const head = 'GET /api/version HTTP/1.1\r\nHost: x\r\n';
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.end(`${head}\r\n${head}Connection: close\r\n\r\n`);
  let received = 0;
  for await (const piece of socket) received += piece.length;
  expect((await fetch(`${url}/health`)).status).toBe(429);
  await sleep(100);
  const text = await scrape(managementUrl);
  const counts = [...text.matchAll(/^customer_data_request_duration_seconds_count\{(.*)\} ([1-9]\d*)$/gm)];
  expect(counts.map(([, labels, count]) => `${labels} ${count}`).toSorted()).toEqual([
    'route="/api/version",method="GET",status="200" 3',
    'route="/api/version",method="GET",status="304" 1',
    'route="/api/version",method="HEAD",status="200" 1',
    'route="/health",method="GET",status="429" 1',
    'route="/products",method="DELETE",status="405" 1',
    'route="/products",method="GET",status="401" 1',
    'route="other",method="GET",status="404" 1',
  ]);
  expect(text).toContain('customer_data_quota_refusals_total{window="1m"} 1\n');
  const sent = Number(/^customer_data_sent_bytes_total\{route="\/api\/version"\} (\d+)$/m.exec(text)![1]);
  expect(sent).toBeGreaterThan(received);
  expect(sent).toBeLessThan(received * 3);
  for (const name of ['downloads_active', 'downloads_waiting', 'quota_store_degraded'])
    expect(text).toContain(`\ncustomer_data_${name} 0\n`);
  expect(text).toContain('\nnodejs_eventloop_lag_seconds ');
});

test('exposes when each table last got new content, also while the database does not respond (decisions 83, 102)', async () => {
  const { managementUrl } = await service.ports();
  await service.printing(/The database is ready/);
  const before = Date.now() / 1000;
  const name = 'table_imported_timestamp_seconds';
  expect(samples(await scrape(managementUrl), name)).toEqual({});
  await database.load(importFiles({ 'warehouses.csv': [['W']], 'price_lists.csv': [] }));
  const first = samples(await scrape(managementUrl), name);
  expect(Object.keys(first)).toEqual(['{table="price_lists"}', '{table="warehouses"}']);
  for (const time of Object.values(first)) expect(time).toBeGreaterThanOrEqual(Math.floor(before));
  await database.load(importFiles({ 'warehouses.csv': [['W']] }));
  expect(samples(await scrape(managementUrl), name)).toEqual(first);
  await database.load(importFiles({ 'warehouses.csv': [['V']] }));
  const second = samples(await scrape(managementUrl), name);
  expect(second['{table="price_lists"}']).toBe(first['{table="price_lists"}']);
  expect(second['{table="warehouses"}']).toBeGreaterThan(first['{table="warehouses"}']!);
  // Files whose content was imported before do not count as new.
  for (const code of ['W', 'V', 'W']) await database.load(importFiles({ 'warehouses.csv': [[code]] }));
  expect(samples(await scrape(managementUrl), name)).toEqual(second);
  // A refused import does not count as new.
  await expect(database.load(importFiles({ 'warehouses.csv': [['']] }))).rejects.toThrow();
  expect(samples(await scrape(managementUrl), name)).toEqual(second);
  await database.sql('DROP TABLE imported_tables');
  expect(samples(await scrape(managementUrl), name)).toEqual(second);
});

test('exposes the last import that wrote nothing for a day, by its outcome (decision 83)', async () => {
  const { managementUrl } = await service.ports();
  await service.printing(/The database is ready/);
  const failedImports = async () => samples(await scrape(managementUrl), 'import_failed_timestamp_seconds');
  await database.load(importFiles({ 'warehouses.csv': [['W']] }));
  expect(await failedImports()).toEqual({});
  const before = Math.floor(Date.now() / 1000);
  await expect(database.load(importFiles({ 'warehouses.csv': [['']] }))).rejects.toThrow();
  const refused = await failedImports();
  expect(refused).toEqual({ '{outcome="refused"}': expect.any(Number) });
  expect(Object.values(refused)[0]).toBeGreaterThanOrEqual(before);
  // A later successful import may be of another file, so it does not reset the metric.
  await database.load(importFiles({ 'warehouses.csv': [['W']] }));
  expect(await failedImports()).toEqual(refused);
  await database.sql(`UPDATE import_runs SET Outcome = 'failed' WHERE Outcome = 'refused'`);
  expect(await failedImports()).toEqual({ '{outcome="failed"}': Object.values(refused)[0] });
  const yesterday = new Date(Date.now() - 86_400_000).toISOString().replace('T', ' ').replace('Z', '');
  await database.sql(`UPDATE import_runs SET StartedAt = ? WHERE Outcome = 'failed'`, [yesterday]);
  expect(await failedImports()).toEqual({});
});

test('exposes whether the database is usable (decision 83)', async () => {
  const empty = await TestDatabase.create({ migrated: false });
  const waiting = ServiceProcess.start(
    { DATABASE_URL: empty.url, DEMO_DATA: 'false', MIGRATE_ON_START: 'false', DOWNLOAD_POOL_SIZE: '7' },
    empty.folder,
  );
  try {
    const { managementUrl } = await waiting.ports();
    await waiting.printing(/The database is not ready/);
    const before = await scrape(managementUrl);
    expect(samples(before, 'database_up')).toEqual({ '': 0 });
    expect(samples(before, 'downloads_limit')).toEqual({ '': 7 });
    await empty.cliOk('migrate');
    await waiting.printing(/The database is ready/);
    expect(samples(await scrape(managementUrl), 'database_up')).toEqual({ '': 1 });
  } finally {
    await waiting.stop('SIGKILL');
    await empty.drop();
  }
});

test('exposes the last complete response of each customer only with METRICS_BY_CUSTOMER (decision 211)', async () => {
  const name = 'customer_synced_timestamp_seconds';
  await database.load(smallCatalogue);
  const key = await database.cliOk('key', 'issue', A);
  const settings = { DATABASE_URL: database.url, DEMO_DATA: 'false', METRICS_BY_CUSTOMER: 'true' };
  const counting = ServiceProcess.start(settings, database.folder);
  try {
    const [silent, exposing] = await Promise.all([service.ready(), counting.ready()]);
    expect(samples(await scrape(exposing.managementUrl), name)).toEqual({});
    const before = Date.now() / 1000;
    for (const { url } of [silent, exposing]) {
      const token = tokenIn(await call(url, tokenCall(A, key)));
      const { headers } = await call(url, { path: '/stock', token });
      await call(url, { path: '/stock', token, headers: { 'If-None-Match': headers.etag } });
      await call(url, { path: '/products', token, method: 'HEAD' });
      await call(url, { path: '/prices', token, headers: { Accept: 'image/png' } });
      await call(url, { path: '/prices/schema', token });
      await call(url, { path: '/prices' });
    }
    const exposed = samples(await scrape(exposing.managementUrl), name);
    expect(exposed).toEqual({ [`{customer="${A}",resource="stock"}`]: expect.any(Number) });
    expect(Object.values(exposed)[0]).toBeGreaterThanOrEqual(before);
    expect(await scrape(silent.managementUrl)).not.toContain(name);
  } finally {
    await counting.stop('SIGKILL');
  }
});

test('counts the documents that responses needed although they were not stored (decision 213)', async () => {
  await database.load(smallCatalogue);
  const { url, managementUrl } = await service.ready();
  const token = tokenIn(await call(url, tokenCall(A, await database.cliOk('key', 'issue', A))));
  const made = async () => samples(await scrape(managementUrl), 'documents_made_total')[''];
  /** Requests a body that is not in the cache, and returns the number of its products. */
  const products = async (): Promise<number> => {
    await database.sql(`UPDATE content_versions SET Version = '${randomUUID().replaceAll('-', '').slice(0, 16)}'`);
    return (JSON.parse((await call(url, { path: '/products', token })).body) as unknown[]).length;
  };
  const count = await products();
  expect([count > 0, await made()]).toEqual([true, 0]);
  // Documents of another release count as missing.
  await database.sql(`UPDATE product_documents SET Shape = 'of-other-release'`);
  expect([await products(), await made()]).toEqual([count, count]);
  await database.cliOk('documents', 'build');
  expect([await products(), await made()]).toEqual([count, count]);
});

test('exposes the connection pools of a server (decision 83)', async () => {
  const { managementUrl } = await service.ports();
  await service.printing(/The database is ready/);
  const text = await scrape(managementUrl);
  const pools = engine === 'sqlite' ? [] : ['lookup', 'download'];
  const perPool = (...values: number[]) =>
    Object.fromEntries(pools.map((pool, at) => [`{pool="${pool}"}`, values[at]]));
  expect(samples(text, 'database_connections_limit')).toEqual(perPool(5, 10));
  expect(samples(text, 'database_connections_waiting')).toEqual(perPool(0, 0));
  // This gauge is read before the same scrape looks up other metrics in the database.
  expect(samples(text, 'database_connections_in_use')).toEqual(perPool(0, 0));
});
