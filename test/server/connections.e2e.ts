import mysql from 'mysql2/promise';
import { setTimeout as sleep } from 'node:timers/promises';
import { call, tokenCall } from '../support/http-call.js';
import { A, smallCatalogue } from '../support/small-catalogue.js';
import { TcpProxy } from '../support/tcp-proxy.js';
import { type Environment, TestDatabase, TestService } from '../support/test-service.js';

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

/** @param through the URL that the proxy leads to */
async function start(environment: Environment = {}, through = database.url): Promise<void> {
  proxy = new TcpProxy(through);
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

/** So many at once. @returns the statuses */
const stockTimes = async (times: number) =>
  (await Promise.all(Array.from({ length: times }, () => call(service.url, { path: '/stock', token })))).map(
    ({ status }) => status,
  );

const times = (count: number, status: number) => Array(count).fill(status) as number[];

test('where the server gives no further connection, a request waits for one of those that there are (decision 43)', async () => {
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

test('a server that gives no connection at all: 500 with Retry-After (decision 109)', async () => {
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

test('a request that waits for a lookup connection in vain: 500 with Retry-After; an unanswered one: without (decision 109)', async () => {
  await start({ DATABASE_POOL_SIZE: '2' });
  await logIn();
  await Promise.all(times(2, 0).map(() => call(service.url, tokenCall(A, key))));
  proxy.hang();
  const unanswered = times(2, 0).map(() => call(service.url, tokenCall(A, key)));
  await sleep(WAIT_MS / 4);
  const waiting = call(service.url, tokenCall(A, key));
  for (const response of await Promise.all(unanswered)) expect(response.headers).not.toHaveProperty('retry-after');
  const { status, headers, body } = await waiting;
  expect([status, JSON.parse(body).error]).toEqual([500, 'server_error']);
  expect(headers['retry-after']).toMatch(SECONDS);
});

test('after one statement goes unanswered, no other connection of that time is tried (decision 86)', async () => {
  await start({ DOWNLOADS_PER_CUSTOMER: '10', DOWNLOAD_STALL_SECONDS: '30' });
  await logIn();
  // Now both pools are full of connections.
  expect(await stockTimes(10)).toEqual(times(10, 200));
  proxy.hang();
  proxy.moveTo(database.url);
  const begun = performance.now();
  expect(await stockTimes(1)).toEqual([500]);
  expect(performance.now() - begun).toBeLessThan(WAIT_MS + 1000);
  expect(await stockTimes(10)).toEqual(times(10, 200));
});

test.each(['version()', 'FROM migrations'])(
  'a server that hangs at the start, at "%s", is tried again (decision 12)',
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
    expect(await stockTimes(1)).toEqual([200]);
  },
);

test('a server that hangs when the first answers are asked for keeps nobody longer than the wait', async () => {
  await start();
  await logIn();
  void proxy.hangAfter('version()');
  const begun = performance.now();
  expect(await stockTimes(3)).toEqual(times(3, 500));
  expect(performance.now() - begun).toBeLessThan(2 * WAIT_MS + 1500);
});

test('after it hung then, none of its connections is tried again (decision 86)', async () => {
  await start();
  await logIn();
  void proxy.hangAfter('version()');
  expect(await stockTimes(1)).toEqual([500]);
  proxy.moveTo(database.url);
  expect(await stockTimes(3)).toEqual(times(3, 200));
});

test('the wait is for a connection and its answer together (decision 43)', async () => {
  const wait = 3 * WAIT_MS;
  await start({ DATABASE_WAIT_MS: String(wait) });
  // Nobody could connect, set up a session and ask within the wait.
  proxy.cut();
  proxy.delay = wait / 5;
  const begun = performance.now();
  expect((await call(service.url, tokenCall(A, key))).status).toBe(500);
  // To connect takes 0.6 of the wait: with a wait of its own the answer would end the call after 1.6.
  expect(performance.now() - begun).toBeLessThan(1.4 * wait);
});

test('a stop does not wait for a database that hangs (decision 58)', async () => {
  await start({ DOWNLOAD_STALL_SECONDS: '1' });
  await logIn();
  expect(await stockTimes(10)).toEqual(times(10, 200));
  proxy.hang();
  const calls = stockTimes(8);
  await sleep(50);
  const begun = performance.now();
  await service.stop();
  expect(performance.now() - begun).toBeLessThan(2 * WAIT_MS + 1500);
  expect(new Set(await calls)).toEqual(new Set([500]));
});
