import mysql from 'mysql2/promise';
import { setTimeout as sleep } from 'node:timers/promises';
import { call, tokenCall } from '../support/http-call.js';
import { A, smallCatalogue } from '../support/small-catalogue.js';
import { TcpProxy } from '../support/tcp-proxy.js';
import { type Environment, TestDatabase, TestService } from '../support/test-service.js';
import { until } from '../support/until.js';

const WAIT_MS = 1000;

let database: TestDatabase;
let proxy: TcpProxy;
let service: TestService;
let key: string;
let token: string;
beforeEach(async () => {
  database = await TestDatabase.create();
  await database.load(smallCatalogue);
  key = await database.cliOk('key', 'issue', A);
});
afterEach(async () => {
  await service.stop();
  proxy.close();
  await database.drop();
});

/** Starts the service behind a proxy. @param target the URL that the proxy connects to */
async function start(environment: Environment = {}, target = database.url): Promise<void> {
  proxy = new TcpProxy(target);
  const url = await proxy.reservedUrl();
  await proxy.open();
  service = await TestService.start(
    { RESPONSE_CACHE_MEGABYTES: '0', DATABASE_URL: url, DATABASE_WAIT_MS: String(WAIT_MS), ...environment },
    database,
  );
}

async function logIn(): Promise<void> {
  token = (JSON.parse((await call(service.url, tokenCall(A, key))).body) as { access_token: string }).access_token;
}

/** Sends this many concurrent requests. @returns the statuses */
const concurrentStock = async (count: number) =>
  (await Promise.all(Array.from({ length: count }, () => call(service.url, { path: '/stock', token })))).map(
    ({ status }) => status,
  );

const times = (count: number, status: number) => Array(count).fill(status) as number[];

test('a request waits for an open connection if the server refuses further ones (decision 43)', async () => {
  const name = `few_${new URL(database.url).pathname.slice(-12)}`;
  await database.sql([
    `CREATE USER ${name} IDENTIFIED BY '' WITH MAX_USER_CONNECTIONS 3`,
    `GRANT ALL ON ${new URL(database.url).pathname.slice(1)}.* TO ${name}`,
  ]);
  await start({}, database.url.replace('root', name));
  await logIn();
  const statuses = await Promise.all(times(40, 0).map(async () => (await call(service.url, tokenCall(A, key))).status));
  expect(statuses).toEqual(times(40, 200));
  await database.sql(`DROP USER ${name}`);
});

const SECONDS = /^([5-9]|1[0-5])$/;

test('a request returns 500 with Retry-After if the server refuses every connection (decision 109)', async () => {
  const name = `full_${new URL(database.url).pathname.slice(-12)}`;
  await database.sql([
    `CREATE USER ${name} IDENTIFIED BY '' WITH MAX_USER_CONNECTIONS 3`,
    `GRANT ALL ON ${new URL(database.url).pathname.slice(1)}.* TO ${name}`,
  ]);
  const url = database.url.replace('root', name);
  await start({ DATABASE_POOL_SIZE: '2' }, url);
  await logIn();
  const foreign: mysql.Connection[] = [];
  const takeAll = async () => {
    for (;;) foreign.push(await mysql.createConnection(url));
  };
  await expect(takeAll()).rejects.toMatchObject({ code: 'ER_USER_LIMIT_REACHED' });
  const { status, headers } = await call(service.url, { path: '/stock', token });
  expect({ status, 'retry-after': headers['retry-after'] }).toEqual({
    status: 500,
    'retry-after': expect.stringMatching(SECONDS),
  });
  await Promise.all(foreign.map((connection) => connection.end()));
  await database.sql(`DROP USER ${name}`);
});

test('a request returns 500 with Retry-After if no lookup connection is free, and without it if the database hangs (decision 109)', async () => {
  await start({ DATABASE_POOL_SIZE: '2' });
  await logIn();
  // The second request needs a connection before the first one has its response, so the pool opens one.
  proxy.hang();
  const both = times(2, 0).map(() => call(service.url, tokenCall(A, key)));
  await until('two connections', () => proxy.accepted >= 2);
  proxy.resume();
  await Promise.all(both);
  proxy.hang();
  const sentBefore = proxy.chunksSent;
  const unanswered = times(2, 0).map(() => call(service.url, tokenCall(A, key)));
  await until('two unanswered statements', () => proxy.chunksSent >= sentBefore + 2);
  const waiting = call(service.url, tokenCall(A, key));
  for (const response of await Promise.all(unanswered)) expect(response.headers).not.toHaveProperty('retry-after');
  const { status, headers, body } = await waiting;
  expect([status, JSON.parse(body).error]).toEqual([500, 'server_error']);
  expect(headers['retry-after']).toMatch(SECONDS);
});

test('requests use no older connection after one statement timed out (decision 86)', async () => {
  await start({ DOWNLOADS_PER_CUSTOMER: '10', DOWNLOAD_STALL_SECONDS: '30' });
  await logIn();
  // Fills both pools with connections.
  expect(await concurrentStock(10)).toEqual(times(10, 200));
  proxy.hang();
  proxy.moveTo(database.url);
  const startedAt = performance.now();
  expect(await concurrentStock(1)).toEqual([500]);
  expect(performance.now() - startedAt).toBeLessThan(WAIT_MS + 1000);
  expect(await concurrentStock(10)).toEqual(times(10, 200));
});

test.each(['version()', 'FROM migrations'])(
  'the service retries if the server hangs during the start, at "%s" (decision 12)',
  async (statement) => {
    proxy = new TcpProxy(database.url);
    const url = await proxy.reservedUrl();
    await proxy.open();
    const hung = proxy.hangAfter(statement);
    const starting = TestService.start(
      { RESPONSE_CACHE_MEGABYTES: '0', DATABASE_URL: url, DATABASE_WAIT_MS: String(WAIT_MS) },
      database,
    );
    await hung;
    proxy.moveTo(database.url);
    service = await starting;
    await logIn();
    expect(await concurrentStock(1)).toEqual([200]);
  },
);

test('requests return 500 within the wait if the server hangs while the download pool opens', async () => {
  await start();
  await logIn();
  void proxy.hangAfter('version()');
  const startedAt = performance.now();
  expect(await concurrentStock(3)).toEqual(times(3, 500));
  expect(performance.now() - startedAt).toBeLessThan(2 * WAIT_MS + 1500);
});

test('requests use no older connection after the server hung while the download pool opened (decision 86)', async () => {
  await start();
  await logIn();
  void proxy.hangAfter('version()');
  expect(await concurrentStock(1)).toEqual([500]);
  proxy.moveTo(database.url);
  expect(await concurrentStock(3)).toEqual(times(3, 200));
});

test('one deadline covers connecting and the first statement (decision 43)', async () => {
  const wait = 3 * WAIT_MS;
  await start({ DATABASE_WAIT_MS: String(wait) });
  // Connecting, setting up the session and the statement together take longer than the wait.
  proxy.cut();
  proxy.delay = wait / 5;
  const startedAt = performance.now();
  expect((await call(service.url, tokenCall(A, key))).status).toBe(500);
  // Connecting takes 0.6 of the wait. If the statement had its own wait, the request would take 1.6 times the wait.
  expect(performance.now() - startedAt).toBeLessThan(1.4 * wait);
});

test('shutdown does not wait for a database that hangs (decision 58)', async () => {
  await start({ DOWNLOAD_STALL_SECONDS: '1' });
  await logIn();
  expect(await concurrentStock(10)).toEqual(times(10, 200));
  proxy.hang();
  const calls = concurrentStock(8);
  await sleep(50);
  const startedAt = performance.now();
  await service.stop();
  expect(performance.now() - startedAt).toBeLessThan(2 * WAIT_MS + 1500);
  expect(new Set(await calls)).toEqual(new Set([500]));
});
