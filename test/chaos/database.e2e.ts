import mysql, { type Connection } from 'mysql2/promise';
import { type Outage, play } from '../support/outage.js';
import { BEGUN, loadCustomers, OUTAGE_MS, OutageBench, STALL_MS, WAIT_MS } from '../support/outage-bench.js';
import { type PrivateServer, startPrivateServer } from '../support/private-server.mjs';
import { TcpProxy } from '../support/tcp-proxy.js';
import { TestDatabase } from '../support/test-service.js';

declare const DATABASE_SERVER: { program: string; mariadb: boolean };

let server: PrivateServer;
/** Another server with the same data, at another address. */
let spare: PrivateServer;
let database: TestDatabase;
/** Where the service finds the database. */
let proxy: TcpProxy;
let bench: OutageBench;
beforeAll(async () => {
  server = await startPrivateServer(DATABASE_SERVER);
  database = await TestDatabase.create({ server: server.url });
  const logins = await loadCustomers(database);
  const name = new URL(database.url).pathname.slice(1);
  // As in production, an account without privileges over the server itself.
  await administer([`CREATE USER service`, `GRANT ALL ON ${name}.* TO service`]);
  spare = await server.copy();
  proxy = new TcpProxy(on(server));
  const url = await proxy.reservedUrl();
  await proxy.open();
  bench = await OutageBench.start(database, { DATABASE_URL: url }, logins);
}, 120_000);
afterAll(async () => {
  await bench?.stop();
  proxy?.close();
  await Promise.all([server?.stop(), spare?.stop()]);
});

async function administer(statements: readonly string[]): Promise<void> {
  const connection = await mysql.createConnection(server.url);
  for (const sql of statements) await connection.query(sql);
  await connection.end();
}

/** The URL of the service's database on another server. */
const on = ({ url }: PrivateServer) =>
  Object.assign(new URL(database.url), { port: new URL(url).port, username: 'service' }).href;

const DOWN: Omit<Outage, 'begin' | 'end' | 'lasts'> = {
  may: { 'look-up': ['500'], download: ['500', 'cut'], probe: ['503'] },
  waits: { metrics: 1000 },
  shows: [
    [BEGUN, 'cut'],
    ['GET /stock', '500'],
    ['304', '500'],
    ['POST /auth/token', '500'],
    ['GET /health', '503'],
    ['/readyz', '503'],
  ],
};
/** Nobody answers, but nobody says so either. */
const SILENT: typeof DOWN = {
  ...DOWN,
  waits: { metrics: 1000, 'look-up': WAIT_MS, probe: WAIT_MS, download: 3 * WAIT_MS + STALL_MS },
};

const others: Connection[] = [];
async function takeAllConnections(): Promise<void> {
  proxy.close();
  // Once they are used up, nobody is sure to get another one.
  const administrator = await mysql.createConnection(server.url);
  others.push(administrator);
  await administrator.query('SET GLOBAL max_connections = 30');
  const take = () => mysql.createConnection(on(server)).then((connection) => others.push(connection));
  while (
    await take().then(
      () => true,
      () => false,
    )
  );
  await proxy.open();
}
async function leaveAllConnections(): Promise<void> {
  await others[0]!.query('SET GLOBAL max_connections = 151');
  await Promise.all(others.splice(0).map((connection) => connection.end()));
}

let cutting: NodeJS.Timeout;

const OUTAGES: Record<string, Outage> = {
  'refuses connections': { ...DOWN, begin: () => proxy.close(), end: () => proxy.open(), lasts: OUTAGE_MS },
  hangs: { ...SILENT, begin: () => proxy.hang(), end: () => proxy.resume(), lasts: 2 * WAIT_MS },
  'is killed and started again': { ...DOWN, begin: () => server.kill(), end: () => server.start(), lasts: OUTAGE_MS },
  'fails over to another address': {
    ...DOWN,
    begin: () => proxy.close(),
    end: () => (proxy.moveTo(on(spare)), proxy.open()),
    lasts: OUTAGE_MS,
  },
  'fails over, and the old address falls silent': {
    ...SILENT,
    begin: () => proxy.hang(),
    end: () => proxy.moveTo(on(server)),
    lasts: 2 * WAIT_MS,
  },
  'has no connection left': { ...SILENT, begin: takeAllConnections, end: leaveAllConnections, lasts: 2 * WAIT_MS },
  'is slow': {
    waits: { metrics: 1000, 'look-up': WAIT_MS, probe: WAIT_MS, download: 10 * WAIT_MS },
    begin: () => (proxy.delay = WAIT_MS / 15),
    end: () => (proxy.delay = 0),
    lasts: 2 * OUTAGE_MS,
  },
  'resets connections': {
    ...DOWN,
    shows: [[BEGUN, 'cut']],
    begin: () => (cutting = setInterval(() => proxy.cut(), 200)),
    end: () => clearInterval(cutting),
    lasts: OUTAGE_MS,
  },
  'is read-only': {
    begin: () => administer(['SET GLOBAL read_only = 1']),
    end: () => administer(['SET GLOBAL read_only = 0']),
    lasts: OUTAGE_MS,
  },
};

test.each(Object.keys(OUTAGES))('the database %s', async (name) => {
  const { report, faults } = await play(bench, OUTAGES[name]!);
  console.table(report.map((r) => ({ ...r, outcomes: JSON.stringify(r.outcomes) })));
  expect(faults).toEqual([]);
});
