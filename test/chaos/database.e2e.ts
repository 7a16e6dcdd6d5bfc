import mysql, { type Connection } from 'mysql2/promise';
import { importFiles } from '../support/import-files.js';
import { type Outage, play } from '../support/outage.js';
import {
  BEGUN,
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

/** The program, which jest.config.mjs found. */
declare const DATABASE_SERVER: { program: string; mariadb: boolean };

let server: PrivateServer;
/** Another server with the same data, at another address. */
let spare: PrivateServer;
let database: TestDatabase;
let logins: Logins;
/** What is to break is behind it. */
let proxy: TcpProxy;
let bench: OutageBench;
beforeAll(async () => {
  server = await startPrivateServer(DATABASE_SERVER);
  database = await TestDatabase.create({ server: server.url });
  logins = await loadCustomers(database);
  // As in production (docs/operations.md): an account without privileges over the server, or it would ignore what is set.
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

/** The URL by which the service would know a server. */
function urlOn({ url }: PrivateServer): string {
  return Object.assign(new URL(database.url), { port: new URL(url).port, username: 'service' }).href;
}

async function stop(): Promise<void> {
  await bench?.stop();
  proxy?.close();
}

let cutting: NodeJS.Timeout;
const refusing: Outage = { begin: () => proxy.close(), end: () => proxy.open(), lasts: OUTAGE_MS };
const hanging: Outage = { begin: () => proxy.hang(), end: () => proxy.resume(), lasts: 2 * WAIT_MS };
const slow: Outage = {
  begin: () => (proxy.delay = WAIT_MS / 15),
  end: () => (proxy.delay = 0),
  lasts: 2 * OUTAGE_MS,
  // Everything comes, only later.
  waits: { metrics: 1000, lookup: WAIT_MS, probe: WAIT_MS, download: 10 * WAIT_MS },
};
const resetting: Outage = {
  begin: () => {
    proxy.cut();
    cutting = setInterval(() => proxy.cut(), 200);
  },
  end: () => clearInterval(cutting),
  lasts: OUTAGE_MS,
};

async function importInVain(): Promise<void> {
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

  const FAILS: Partial<Outage> = {
    may: { lookup: ['500'], download: ['500', 'aborted'], probe: ['503'] },
    waits: { metrics: 1000 },
    shows: [
      [BEGUN, 'aborted'],
      ['GET /stock', '500'],
      ['304', '500'],
      ['POST /auth/token', '500'],
      ['GET /health', '503'],
      ['/readyz', '503'],
    ],
  };
  const KEEPS_WAITING: Partial<Outage> = {
    ...FAILS,
    waits: { metrics: 1000, lookup: WAIT_MS, probe: WAIT_MS, download: 3 * WAIT_MS + STALL_MS },
  };

  const others: Connection[] = [];
  async function takeAllConnections(): Promise<void> {
    proxy.close();
    // Once they are used up, nobody is sure to get another one.
    const administrator = await mysql.createConnection(server.url);
    others.push(administrator);
    await administrator.query('SET GLOBAL max_connections = 30');
    const take = async () => others.push(await mysql.createConnection(urlOn(server)));
    for (let left = true; left;) left = await take().then(Boolean, () => false);
    await proxy.open();
  }
  async function leaveAllConnections(): Promise<void> {
    await others[0]!.query('SET GLOBAL max_connections = 151');
    await Promise.all(others.splice(0).map((connection) => connection.end()));
  }

  test.each<[string, Outage]>([
    ['refuses connections', { ...FAILS, ...refusing }],
    ['hangs', { ...KEEPS_WAITING, ...hanging }],
    [
      'is killed and started again',
      { ...FAILS, begin: () => server.kill(), end: () => server.start(), lasts: OUTAGE_MS },
    ],
    [
      'goes, and comes back at another address',
      { ...FAILS, ...refusing, end: () => (proxy.moveTo(urlOn(spare)), proxy.open()) },
    ],
    [
      'falls silent, and comes back at another address',
      { ...KEEPS_WAITING, ...hanging, end: () => proxy.moveTo(urlOn(server)) },
    ],
    [
      'has no connection left',
      { ...KEEPS_WAITING, begin: takeAllConnections, end: leaveAllConnections, lasts: 2 * WAIT_MS },
    ],
    ['is slow', slow],
    ['resets connections', { ...FAILS, shows: [[BEGUN, 'aborted']], ...resetting }],
    [
      'is read-only',
      {
        begin: () => administer('SET GLOBAL read_only = 1'),
        end: () => importInVain().finally(() => administer('SET GLOBAL read_only = 0')),
        lasts: 0,
      },
    ],
  ])('%s', (name, outage) => play(`The database ${name}`, bench, outage));
});

/** How often the service said that of the replica. */
const told = (word: 'lost' | 'back') => bench.log.match(new RegExp(`The replica .* is ${word}`, 'g'))?.length ?? 0;

const isBack = () => until('the replica is used again', () => told('lost') === told('back'));

describe('a read replica', () => {
  beforeAll(async () => {
    proxy = new TcpProxy(urlOn(spare));
    const replica = await proxy.reservedUrl();
    await proxy.open();
    const environment = { DATABASE_URL: urlOn(server), DATABASE_REPLICA_URLS: replica };
    bench = await OutageBench.start(database, environment, logins);
  }, 60_000);
  afterAll(stop);

  // Nobody fails but who was reading from it already.
  const GOES: Partial<Outage> = { may: { download: ['500', 'aborted'] } };

  // Who connects between two resets does not notice.
  test.each<[name: string, losses: number, Outage]>([
    ['refuses connections', 1, { ...GOES, ...refusing }],
    ['hangs', 1, { ...GOES, ...hanging, waits: { download: WAIT_MS + STALL_MS } }],
    ['is slow', 0, slow],
    ['resets connections', 0, { ...GOES, shows: [[BEGUN, 'aborted']], ...resetting }],
  ])('%s', async (name, losses, outage) => {
    await isBack();
    const before = told('lost');
    await play(`A read replica ${name}`, bench, outage);
    expect(told('lost')).toBeGreaterThanOrEqual(before + losses);
    await isBack();
  });
});
