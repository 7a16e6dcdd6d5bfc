import mysql, { type Connection } from 'mysql2/promise';
import { importFiles } from '../support/import-files.js';
import { type Outage, play } from '../support/outage.js';
import {
  OPEN_DOWNLOAD,
  loadCustomers,
  type Logins,
  OUTAGE_MS,
  OutageBench,
  STALL_MS,
  WAIT_MS,
} from '../support/outage-bench.js';
import { type PrivateServer, startPrivateServer } from '../support/private-server.mjs';
import { RunningCommand } from '../support/running-command.js';
import { TcpProxy } from '../support/tcp-proxy.js';
import { TestDatabase } from '../support/test-service.js';
import { until } from '../support/until.js';

/** The program of the database server, set by jest.config.mjs. */
declare const DATABASE_SERVER: { program: string; mariadb: boolean };

let server: PrivateServer;
/** A second server with the same data at another address. */
let spare: PrivateServer;
let database: TestDatabase;
let logins: Logins;
/** The proxy in front of the server that the test disturbs. */
let proxy: TcpProxy;
let bench: OutageBench;
beforeAll(async () => {
  server = await startPrivateServer(DATABASE_SERVER);
  database = await TestDatabase.create({ server: server.url });
  logins = await loadCustomers(database);
  // As in production (docs/operations.md), the account has no privileges over the server. With them, it would ignore
  // `read_only` and `max_connections`.
  const name = new URL(database.url).pathname.slice(1);
  await administer('CREATE USER service', `GRANT SELECT, INSERT, UPDATE, DELETE ON ${name}.* TO service`);
  spare = await server.copy();
}, 120_000);
afterAll(() => Promise.all([server?.stop(), spare?.stop()]));

async function administer(...statements: string[]): Promise<void> {
  const connection = await mysql.createConnection(server.url);
  for (const sql of statements) await connection.query(sql);
  await connection.end();
}

/** The URL of a server with the account of the service. */
function urlOn({ url }: PrivateServer): string {
  return Object.assign(new URL(database.url), { port: new URL(url).port, username: 'service' }).href;
}

async function stop(): Promise<void> {
  await bench?.stop();
  proxy?.close();
}

let resetTimer: NodeJS.Timeout;
const refusing: Outage = { begin: () => proxy.close(), end: () => proxy.open(), lasts: OUTAGE_MS };
/** Lasts for one aborted download and for the 500 of the next one. */
const hanging: Outage = { begin: () => proxy.hang(), end: () => proxy.resume(), lasts: 3 * WAIT_MS };
const slow: Outage = {
  begin: () => (proxy.delay = WAIT_MS / 15),
  end: () => (proxy.delay = 0),
  lasts: 2 * OUTAGE_MS,
  // Every byte arrives, but late.
  waits: { metrics: 1000, lookup: WAIT_MS, probe: WAIT_MS, download: 10 * WAIT_MS },
};
const resetting: Outage = {
  begin: () => {
    proxy.cut();
    resetTimer = setInterval(() => proxy.cut(), 200);
  },
  end: () => clearInterval(resetTimer),
  lasts: OUTAGE_MS,
};

async function expectReadOnlyImport(): Promise<void> {
  const folder = await database.files(importFiles({ 'warehouses.csv': [['NEW']] }));
  const { code, stderr } = await RunningCommand.start(urlOn(server), ['import', folder]).ended;
  expect(code).toBe(1);
  expect(stderr).toMatch(/read-only/);
}

describe('the database', () => {
  beforeAll(async () => {
    proxy = new TcpProxy(urlOn(server));
    const url = await proxy.reservedUrl();
    await proxy.open();
    bench = await OutageBench.start(database, { DATABASE_URL: url }, logins);
  }, 60_000);
  afterAll(stop);

  const UNAVAILABLE: Partial<Outage> = {
    may: { lookup: ['500'], download: ['500', 'aborted'], probe: ['503'] },
    waits: { metrics: 1000 },
    shows: [
      [OPEN_DOWNLOAD, 'aborted'],
      ['GET /stock', '500'],
      ['304', '500'],
      ['POST /auth/token', '500'],
      ['GET /health', '503'],
      ['/readyz', '503'],
    ],
  };
  const UNRESPONSIVE: Partial<Outage> = {
    ...UNAVAILABLE,
    waits: { metrics: 1000, lookup: WAIT_MS, probe: WAIT_MS, download: 3 * WAIT_MS + STALL_MS },
  };

  const others: Connection[] = [];
  async function takeAllConnections(): Promise<void> {
    proxy.close();
    // Connect first: when all connections are taken, even the administrator may not get one.
    const administrator = await mysql.createConnection(server.url);
    others.push(administrator);
    await administrator.query('SET GLOBAL max_connections = 30');
    const take = async () => others.push(await mysql.createConnection(urlOn(server)));
    for (let left = true; left;) left = await take().then(Boolean, () => false);
    await proxy.open();
  }
  async function releaseAllConnections(): Promise<void> {
    await others[0]!.query('SET GLOBAL max_connections = 151');
    await Promise.all(others.splice(0).map((connection) => connection.end()));
  }

  test.each<[string, Outage]>([
    ['refuses connections', { ...UNAVAILABLE, ...refusing }],
    ['hangs', { ...UNRESPONSIVE, ...hanging }],
    [
      'is killed and started again',
      { ...UNAVAILABLE, begin: () => server.kill(), end: () => server.start(), lasts: OUTAGE_MS },
    ],
    [
      'stops, and returns at another address',
      { ...UNAVAILABLE, ...refusing, end: () => (proxy.moveTo(urlOn(spare)), proxy.open()) },
    ],
    ['hangs, and returns at another address', { ...UNRESPONSIVE, ...hanging, end: () => proxy.moveTo(urlOn(server)) }],
    [
      'has no connection left',
      { ...UNRESPONSIVE, begin: takeAllConnections, end: releaseAllConnections, lasts: 2 * WAIT_MS },
    ],
    ['is slow', slow],
    ['resets connections', { ...UNAVAILABLE, shows: [[OPEN_DOWNLOAD, 'aborted']], ...resetting }],
    [
      'is read-only',
      {
        begin: () => administer('SET GLOBAL read_only = 1'),
        end: () => expectReadOnlyImport().finally(() => administer('SET GLOBAL read_only = 0')),
        lasts: 0,
      },
    ],
  ])('%s: requests have only documented outcomes', (name, outage) => play(`The database ${name}`, bench, outage));
});

/** The number of log lines that report the replica as lost or back. */
const reports = (word: 'lost' | 'back') => bench.log.match(new RegExp(`The replica .* is ${word}`, 'g'))?.length ?? 0;

const isBack = () => until('the replica is used again', () => reports('lost') === reports('back'));

describe('a read replica', () => {
  beforeAll(async () => {
    proxy = new TcpProxy(urlOn(spare));
    const replica = await proxy.reservedUrl();
    await proxy.open();
    const environment = { DATABASE_URL: urlOn(server), DATABASE_REPLICA_URLS: replica };
    bench = await OutageBench.start(database, environment, logins);
  }, 60_000);
  afterAll(stop);

  // Only downloads that already read from the replica may fail.
  const REPLICA_LOST: Partial<Outage> = { may: { download: ['500', 'aborted'] } };

  // A connection that was opened between two resets is not affected by them.
  test.each<[name: string, losses: number, Outage]>([
    ['refuses connections', 1, { ...REPLICA_LOST, ...refusing }],
    ['hangs', 1, { ...REPLICA_LOST, ...hanging, waits: { download: WAIT_MS + STALL_MS } }],
    ['is slow', 0, slow],
    ['resets connections', 0, { ...REPLICA_LOST, shows: [[OPEN_DOWNLOAD, 'aborted']], ...resetting }],
  ])('%s: requests have only documented outcomes', async (name, losses, outage) => {
    await isBack();
    const before = reports('lost');
    await play(`A read replica ${name}`, bench, outage);
    expect(reports('lost')).toBeGreaterThanOrEqual(before + losses);
    await isBack();
  });
});
