import mysql from 'mysql2/promise';
import { setTimeout as sleep } from 'node:timers/promises';
import { importFiles } from '../support/import-files.js';
import { type PrivateServer, startPrivateServer } from '../support/private-server.mjs';
import { LOGGED, Replication } from '../support/replication.js';
import { A, smallCatalogue } from '../support/small-catalogue.js';
import { TcpProxy } from '../support/tcp-proxy.js';
import { TestDatabase, TestService } from '../support/test-service.js';
import { until } from '../support/until.js';

/** The program of the database server, set by jest.config.mjs. */
declare const DATABASE_SERVER: { program: string; mariadb: boolean };

const MAX_LAG_SECONDS = 5;
/**
 * A quantity that only the replica has. It does not change a version, so it only shows which database a response was
 * read from.
 */
const MARK = 1005;

let server: PrivateServer;
let copy: PrivateServer;
let database: TestDatabase;
let replication: Replication;
let service: TestService;
let token: string;
beforeAll(async () => {
  server = await startPrivateServer(DATABASE_SERVER, LOGGED);
  database = await TestDatabase.create({ server: server.url });
  await database.load(smallCatalogue);
  copy = await server.copy();
  replication = await Replication.begin(server, copy, DATABASE_SERVER.mariadb);
  const connection = await mysql.createConnection(urlOn(copy));
  await connection.query('SET @customer_data_import = 1');
  await connection.query(`UPDATE stock SET AvailableQTY = ${MARK} WHERE WarehouseCode = 'WH-A' AND SKU = 'A-ONLY'`);
  await connection.end();
}, 120_000);
afterAll(() => Promise.all([server?.stop(), copy?.stop()]));
beforeEach(() => replication.start());
afterEach(() => service.stop());

const urlOn = ({ url }: PrivateServer) => Object.assign(new URL(database.url), { port: new URL(url).port }).href;

async function start(environment: Record<string, string> = {}): Promise<void> {
  const lag = { DATABASE_REPLICA_URLS: urlOn(copy), DATABASE_REPLICA_LAG_SECONDS: `${MAX_LAG_SECONDS}` };
  service = await TestService.start({ ...lag, ...environment }, database);
  token = await service.token(A);
}

const loadStock = (quantity: number) =>
  database.load(importFiles({ 'stock.csv': [['WH-A', 'SHARED', `${quantity}`]] }));

interface Read {
  from: 'replica' | 'server';
  quantity: number;
  tag: string;
}

async function read(): Promise<Read> {
  const response = await service.get('/stock', token);
  const stock = (await response.json()) as { SKU: string; AvailableQTY: number }[];
  const of = (sku: string) => stock.find(({ SKU }) => SKU === sku)!.AvailableQTY;
  const from = of('A-ONLY') === MARK ? 'replica' : 'server';
  return { from, quantity: of('SHARED'), tag: response.headers.get('ETag')! };
}

async function statusOf(path: string, tag: string): Promise<number> {
  const headers = { Authorization: `Bearer ${token}`, 'If-None-Match': tag };
  const response = await fetch(service.url + path, { headers });
  await response.text();
  return response.status;
}

const untilTrue = (holds: () => boolean | Promise<boolean>) =>
  until(() => `${holds}. The log:\n${service.log.join('\n')}`, holds);

/** The last word of each log line about the replica, such as `lags` or `back`. */
const logged = () => service.log.flatMap((line) => / The replica \S+ (?:is )?(\w+)/.exec(` ${line}`)?.[1] ?? []);

async function metric(name: string): Promise<number> {
  const text = await (await fetch(`${service.managementUrl}/metrics`)).text();
  const { host } = new URL(copy.url);
  return Number(new RegExp(`^customer_data_${name}\\{server="${host}"\\} (\\S+)$`, 'm').exec(text)?.[1]);
}

test('the service reads from a replica that keeps up, whatever is imported (decision 104)', async () => {
  await start();
  for (const quantity of [201, 202, 203]) {
    await loadStock(quantity);
    await untilTrue(async () => (await read()).quantity === quantity);
    expect((await read()).from).toBe('replica');
  }
  expect(logged()).toEqual([]);
  expect(await metric('database_replica_up')).toBe(1);
  expect(await metric('database_replica_lag_seconds')).toBeLessThan(MAX_LAG_SECONDS);
});

test('the service stops reading from a replica beyond the lag limit and resumes when the replica has caught up (decision 104)', async () => {
  await start();
  await loadStock(300);
  await untilTrue(async () => (await read()).quantity === 300);
  await replication.stop();
  await loadStock(301);
  // A recent change does not count as lag yet.
  const stale = await read();
  expect(stale).toMatchObject({ from: 'replica', quantity: 300 });
  expect(await statusOf('/stock', stale.tag)).toBe(200);

  await untilTrue(() => logged().length > 0);
  const current = await read();
  expect(current).toMatchObject({ from: 'server', quantity: 301 });
  expect(await statusOf('/stock', current.tag)).toBe(304);
  expect(await metric('database_replica_up')).toBe(0);
  expect(await metric('database_replica_lag_seconds')).toBeGreaterThan(MAX_LAG_SECONDS);
  await sleep(3000);
  expect(logged()).toEqual(['lags']);

  await replication.start();
  await untilTrue(() => logged().length > 1);
  expect(logged()).toEqual(['lags', 'back']);
  expect(await read()).toMatchObject({ from: 'replica', quantity: 301, tag: current.tag });
  expect(await metric('database_replica_up')).toBe(1);
});

test('the service reads from a replica that always lags within the limit (decision 104)', async () => {
  await start();
  await replication.delay(2);
  const delayedSince = performance.now();
  let quantity = 500;
  for (; performance.now() - delayedSince < 2000 * MAX_LAG_SECONDS; await sleep(1000)) await loadStock(++quantity);
  await loadStock(++quantity);
  const { from, quantity: delayed } = await read();
  expect([from, delayed < quantity]).toEqual(['replica', true]);
  expect(logged()).toEqual([]);
  await replication.delay(0);
});

test('a replica that lacks only the new terms of a customer counts as lagging (decision 104)', async () => {
  await start();
  // Wait until the replica has caught up with the delay of the previous test.
  await untilTrue(async () => (await read()).from === 'replica');
  await replication.stop();
  await database.cliOk('customer', 'set', A, '--discount', '33');
  await untilTrue(() => logged().includes('lags'));
  expect((await read()).from).toBe('server');
});

test('a service that starts beside a stopped replica does not read from it (decision 104)', async () => {
  await replication.stop();
  await loadStock(400);
  await start();
  for (let call = 0; call < 5; call++) expect(await read()).toMatchObject({ from: 'server', quantity: 400 });
  await untilTrue(() => logged().includes('lags'));
  await replication.start();
  await untilTrue(async () => (await read()).from === 'replica');
});

test('the service keeps the state of each replica while the server does not respond (decision 104)', async () => {
  const proxy = new TcpProxy(urlOn(server));
  const url = await proxy.reservedUrl();
  await proxy.open();
  await start({ DATABASE_URL: url, DATABASE_WAIT_MS: '500' });
  expect((await read()).from).toBe('replica');
  proxy.hang();
  await sleep((MAX_LAG_SECONDS + 2) * 1000);
  expect(await metric('database_replica_up')).toBe(1);
  proxy.resume();
  await untilTrue(() => service.get('/stock', token).then(({ status }) => status === 200));
  expect((await read()).from).toBe('replica');
  expect(logged()).toEqual([]);
  proxy.close();
});
