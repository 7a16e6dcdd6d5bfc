import Libsql from 'libsql';
import { once } from 'node:events';
import { copyFileSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { call, tokenCall } from './support/http-call.js';
import { importFiles } from './support/import-files.js';
import { ServiceProcess } from './support/service-process.js';
import { A, smallCatalogue } from './support/small-catalogue.js';
import { TcpProxy } from './support/tcp-proxy.js';
import { engine, TestDatabase } from './support/test-service.js';
import { loadVersion, SlowDownload, VERSION_1, versionsIn } from './support/versioned-catalogue.js';
import { until, untilStatus } from './support/until.js';

const JWT_SECRET = 'a-secret-that-is-long-enough-for-tests';

let database: TestDatabase;
const running: ServiceProcess[] = [];
beforeEach(async () => void (database = await TestDatabase.create({ migrated: false })));
afterEach(async () => {
  await Promise.all(running.splice(0).map((service) => service.stop('SIGKILL')));
  await database.drop();
});

function start(environment: Record<string, string>): ServiceProcess {
  const service = ServiceProcess.start(environment, database.folder);
  running.push(service);
  return service;
}

const withDatabase = (environment: Record<string, string> = {}) =>
  start({ DATABASE_URL: database.url, JWT_SECRET, DEMO_DATA: 'false', ...environment });

async function token(url: string, client_id: string, client_secret: string): Promise<string> {
  const body = new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret });
  const response = await fetch(`${url}/auth/token`, { method: 'POST', body });
  return ((await response.json()) as { access_token: string }).access_token;
}

test('the service lists all invalid settings without values and exits with code 1 (decision 30)', async () => {
  const secrets = { JWT_SECRET: 'hunter2', DATABASE_URL: 'mysql://root:hunter3', PORT: 'hunter4' };
  const service = start({ ...secrets, MANAGEMENT_PORT: '99999', NODE_ENV: 'staging' });
  expect(await service.exit()).toBe(1);
  for (const name of ['JWT_SECRET', 'DATABASE_URL', 'PORT', 'MANAGEMENT_PORT', 'NODE_ENV'])
    expect(service.output).toMatch(new RegExp(`^  ${name} must`, 'm'));
  expect(service.output).not.toMatch(/hunter|99999|staging|at .*\.js/);
});

test.each<Record<string, string>>([{}, { JWT_SECRET: '' }, { JWT_SECRET: 'too-short' }])(
  'the service does not start in production with the secret %j (decision 20)',
  async (secret) => {
    const service = start({ NODE_ENV: 'production', DATABASE_URL: database.url, ...secret });
    expect(await service.exit()).toBe(1);
    expect(service.output).toContain('JWT_SECRET');
  },
);

test('the service prints one line and exits with code 1 if a port is in use', async () => {
  const taken = createServer().listen(0);
  await once(taken, 'listening');
  const { port } = taken.address() as { port: number };
  const service = withDatabase({ PORT: String(port) });
  expect(await service.exit()).toBe(1);
  expect(service.output).toMatch(new RegExp(`address already in use.*${port}\\. Set PORT or MANAGEMENT_PORT`));
  expect(service.output).not.toMatch(/^ +at /m);
  taken.close();
});

test('the service returns 503 and 500 before the schema exists, and recovers by itself (decision 12)', async () => {
  const { url, managementUrl } = await withDatabase({ MIGRATE_ON_START: 'false' }).ports();
  const health = await fetch(`${url}/health`);
  expect([health.status, await health.text()]).toEqual([503, 'Unhealthy']);
  expect((await fetch(`${managementUrl}/readyz`)).status).toBe(503);
  expect((await fetch(`${managementUrl}/livez`)).status).toBe(200);
  expect((await fetch(`${url}/api/version`)).status).toBe(200);
  const body = new URLSearchParams({ grant_type: 'client_credentials', client_id: 'C', client_secret: 'x' });
  const refused = await fetch(`${url}/auth/token`, { method: 'POST', body });
  expect([refused.status, await refused.json()]).toEqual([
    500,
    { error: 'server_error', error_description: expect.any(String) },
  ]);
  await database.cliOk('migrate');
  expect(await (await untilStatus(`${url}/health`, 200)).text()).toBe('Healthy');
  expect((await fetch(`${managementUrl}/readyz`)).status).toBe(200);
});

test('requests whose credentials cannot be checked get 500, never 429 (decision 88)', async () => {
  const { url } = await withDatabase({ MIGRATE_ON_START: 'false', REQUESTS_PER_MINUTE: '3' }).ports();
  for (let attempt = 0; attempt < 5; attempt++) {
    const response = await call(url, tokenCall('C', 'x'));
    expect([response.status, response.headers['retry-after']]).toEqual([500, undefined]);
  }
  // They count in the anonymous bucket, like requests without credentials.
  expect((await call(url)).status).toBe(429);
  expect((await call(url, tokenCall('C', ''))).status).toBe(429);
});

if (engine === 'mysql') {
  test('the service recovers by itself whenever the database becomes available (decision 12)', async () => {
    await database.cliOk('migrate');
    await database.load(importFiles({ 'customers.csv': [['C', '', '', '', '0']] }));
    const key = await database.cliOk('key', 'issue', 'C');
    const proxy = new TcpProxy(database.url);
    const service = withDatabase({ DATABASE_URL: await proxy.reservedUrl(), DATABASE_WAIT_MS: '1000' });
    const { url } = await service.ports();
    expect((await fetch(`${url}/health`)).status).toBe(503);
    await proxy.open();
    await untilStatus(`${url}/health`, 200);
    const headers = { Authorization: `Bearer ${await token(url, 'C', key)}` };
    const products = async () => (await fetch(`${url}/products`, { headers })).status;
    expect(await products()).toBe(200);
    proxy.close();
    expect((await fetch(`${url}/health`)).status).toBe(503);
    expect(await products()).toBe(500);
    await proxy.open();
    await untilStatus(`${url}/health`, 200);
    expect(await products()).toBe(200);
    expect(service.output).not.toContain(JWT_SECRET);
    proxy.close();
  });
}

if (engine === 'mysql') {
  test('the service responds within DATABASE_WAIT_MS while the database hangs, and recovers by itself', async () => {
    await database.cliOk('migrate');
    await database.load(importFiles({ 'customers.csv': [['C', '', '', '', '0']] }));
    const key = await database.cliOk('key', 'issue', 'C');
    const proxy = new TcpProxy(database.url);
    const environment = { DATABASE_WAIT_MS: '500', DOWNLOAD_STALL_SECONDS: '1', DATABASE_POOL_SIZE: '2' };
    const service = withDatabase({ DATABASE_URL: await proxy.reservedUrl(), ...environment });
    await proxy.open();
    const { url, managementUrl } = await service.ports();
    await untilStatus(`${url}/health`, 200);
    const headers = { Authorization: `Bearer ${await token(url, 'C', key)}` };
    proxy.hang();
    const began = Date.now();
    const paths = [...Array(20).fill('/health'), ...Array(20).fill('/stock')] as string[];
    const responses = await Promise.all(paths.map(async (path) => (await fetch(url + path, { headers })).status));
    expect(new Set(responses)).toEqual(new Set([503, 500]));
    expect(Date.now() - began).toBeLessThan(5000);
    expect((await fetch(`${managementUrl}/livez`)).status).toBe(200);
    proxy.resume();
    await untilStatus(`${url}/health`, 200);
    expect((await fetch(`${url}/stock`, { headers })).status).toBe(200);
    proxy.close();
  });
}

test.each(['Pacific/Kiritimati', 'America/St_Johns'])(
  'dates and expiry do not depend on the time zone %s (decision 9)',
  async (TZ) => {
    await database.cliOk('migrate');
    await database.load(
      importFiles({
        'price_lists.csv': [['L', '', 'EUR']],
        'warehouses.csv': [['W']],
        'products.csv': [['P']],
        'prices.csv': [['L', 'P', '1', '', '', 'false']],
        'stock.csv': [['W', 'P', '1', '2027-03-28']],
        'customers.csv': [['C', '', 'L', 'W', '0']],
      }),
    );
    const today = new Date().toISOString().slice(0, 10);
    const key = await database.cliOk('key', 'issue', 'C', '--expires', today);
    const { url } = await withDatabase({ TZ }).ports();
    await untilStatus(`${url}/health`, 200);
    const response = await fetch(`${url}/stock`, {
      headers: { Authorization: `Bearer ${await token(url, 'C', key)}` },
    });
    expect(await response.json()).toEqual([expect.objectContaining({ NextAvailableETA: '2027-03-28' })]);
  },
);

test('SIGTERM ends an idle service with exit code 0, even with open keep-alive connections', async () => {
  const service = withDatabase();
  const idle: Socket[] = [];
  for (const target of Object.values(await service.ports())) {
    const { hostname, port } = new URL(target);
    const socket = connect(Number(port), hostname);
    socket.write('GET /livez HTTP/1.1\r\nHost: test\r\n\r\n');
    await new Promise((resolve) => socket.once('data', resolve));
    idle.push(socket);
  }
  expect(await service.stop('SIGTERM')).toBe(0);
  for (const socket of idle) socket.destroy();
});

if (engine === 'sqlite')
  test('the database file of a stopped service can be copied without further files', async () => {
    const service = withDatabase();
    await service.printing(/The database is ready/);
    await database.load(importFiles({ 'warehouses.csv': [['W']] }));
    expect(await service.stop()).toBe(0);
    const copy = join(database.folder, 'copy.db');
    copyFileSync(database.url.slice('sqlite:'.length), copy);
    const connection = new Libsql(copy);
    expect(connection.prepare('SELECT WarehouseCode FROM warehouses').all()).toEqual([{ WarehouseCode: 'W' }]);
    connection.close();
  });

test('SIGTERM lets a download finish, fails readiness and refuses new connections; the exit code is 0', async () => {
  if (engine === 'mysql') await database.cliOk('migrate');
  const service = withDatabase();
  const { url, managementUrl } = await service.ports();
  await untilStatus(`${url}/health`, 200);
  await loadVersion(database, 1);
  const access = await token(url, 'C', await database.cliOk('key', 'issue', 'C'));
  const download = await SlowDownload.begin(url, '/products', access);
  const exit = service.stop('SIGTERM');
  await untilStatus(`${managementUrl}/readyz`, 503);
  await expect(fetch(`${url}/api/version`)).rejects.toThrow();
  expect(versionsIn(await download.finish())).toEqual(new Set([VERSION_1]));
  expect(await exit).toBe(0);
});

describe('a process that ends at once', () => {
  let service: ServiceProcess;
  let download: SlowDownload;
  beforeEach(async () => {
    if (engine === 'mysql') await database.cliOk('migrate');
    const main = { options: ['--import', 'data:text/javascript,process.on("SIGUSR2",()=>{throw new Error("fault")})'] };
    service = ServiceProcess.start(
      { DATABASE_URL: database.url, JWT_SECRET, DEMO_DATA: 'false' },
      database.folder,
      main,
    );
    running.push(service);
    const { url } = await service.ready();
    await loadVersion(database, 1);
    const access = await token(url, 'C', await database.cliOk('key', 'issue', 'C'));
    download = await SlowDownload.begin(url, '/products', access, '1.0');
  });
  afterEach(() => download.abort());

  test('because of a second signal resets its downloads (decision 125)', async () => {
    service.signal('SIGTERM');
    await service.printing(/Shutting down/);
    await sleep(600);
    expect(await service.stop('SIGHUP')).toBe(1);
    expect(await download.isReset()).toBe(true);
  });

  test('because of a fault resets its downloads (decision 125)', async () => {
    expect(await service.stop('SIGUSR2')).toBe(1);
    expect(await download.isReset()).toBe(true);
  });
});

describe('during the drain', () => {
  let service: ServiceProcess;
  let url: string;
  let managementUrl: string;
  beforeEach(async () => {
    if (engine === 'mysql') await database.cliOk('migrate');
    service = withDatabase({ DRAIN_SECONDS: '3' });
    ({ url, managementUrl } = await service.ready());
  });

  test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
    'after %s, readiness fails at once, requests get responses, and the exit code is 0 (decisions 79, 108)',
    async (signal) => {
      const exit = service.stop(signal);
      await untilStatus(`${managementUrl}/readyz`, 503);
      const response = await fetch(`${url}/api/version`);
      expect([response.status, response.headers.get('connection')]).toEqual([200, 'close']);
      expect((await fetch(`${managementUrl}/livez`)).status).toBe(200);
      expect(await exit).toBe(0);
    },
  );

  test('a chunked response does not announce that its connection closes later (decision 110)', async () => {
    await database.load(smallCatalogue);
    const access = await token(url, A, await database.cliOk('key', 'issue', A));
    const socket = connect(Number(new URL(url).port), '127.0.0.1').setEncoding('latin1');
    let text = '';
    socket.on('data', (part: string) => (text += part));
    const exit = service.stop('SIGTERM');
    await untilStatus(`${managementUrl}/readyz`, 503);
    for (let request = 1; request <= 2; request++) {
      // The second request arrives while the connection is idle.
      socket.write(`GET /stock HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${access}\r\n\r\n`);
      await until(`response ${request} is complete`, () => text.split('\r\n0\r\n\r\n').length > request);
    }
    await once(socket, 'end');
    expect(text.match(/^HTTP\/1\.1 200 OK/gm)).toHaveLength(2);
    expect(text).not.toMatch(/^connection: close/im);
    // The connection closed during the drain, not with the process.
    expect((await fetch(`${url}/api/version`)).status).toBe(200);
    expect(await exit).toBe(0);
  });

  test('a second signal ends the process at once, but the echo of the first one does not (decision 79)', async () => {
    void service.stop('SIGINT');
    void service.stop('SIGINT');
    await untilStatus(`${managementUrl}/readyz`, 503);
    await sleep(600);
    expect((await fetch(`${url}/api/version`)).status).toBe(200);
    expect(await service.stop('SIGINT')).toBe(1);
  });
});

test('an idle connection stays open longer than the 60 s of an ingress and of a scrape interval', async () => {
  const { url, managementUrl } = await withDatabase().ports();
  for (const target of [`${url}/api/version`, `${managementUrl}/metrics`]) {
    const timeout = /timeout=(\d+)/.exec((await fetch(target)).headers.get('keep-alive') ?? '')?.[1];
    expect(Number(timeout)).toBeGreaterThan(60);
  }
});

test('DEMO_DATA=true loads no demo data in production or into a server', async () => {
  if (engine === 'mysql') await database.cliOk('migrate');
  const service = withDatabase({ NODE_ENV: engine === 'sqlite' ? 'production' : 'development', DEMO_DATA: 'true' });
  const { url } = await service.ports();
  await untilStatus(`${url}/health`, 200);
  expect(await database.sql('SELECT COUNT(*) AS n FROM products')).toEqual([{ n: 0 }]);
});

if (engine === 'sqlite') {
  test('a refused client that does not close its side of the connection is disconnected (decision 47)', async () => {
    // Only with the embedded database, so that no connections to a server change the count.
    const { url, managementUrl } = await withDatabase().ready();
    const sockets = async () => {
      const { body } = await call(managementUrl, { path: '/metrics' });
      return Number(/^nodejs_active_resources\{type="TCPSocketWrap"\} (\d+)$/m.exec(body)?.[1]);
    };
    await sleep(500);
    const before = await sockets();
    const openClients = ['NO HTTP\r\n\r\n', `GET / HTTP/1.1\r\nX: ${'x'.repeat(17_000)}\r\n\r\n`].map((text) => {
      const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', allowHalfOpen: true });
      socket.resume().write(text);
      return socket;
    });
    await Promise.all(openClients.map((socket) => new Promise((resolve) => socket.once('end', resolve))));
    expect(await sockets()).toBe(before + 2);
    await until('the sockets are closed', async () => (await sockets()) <= before);
    expect(await sockets()).toBe(before);
    for (const socket of openClients) socket.destroy();
  });

  test('the first start needs no settings, loads the demo data and prints a working key only once', async () => {
    const service = start({});
    const { url } = await service.ready();
    const [, key] = await service.printing(/API key +(\S+)/);
    const headers = { Authorization: `Bearer ${await token(url, 'DEMO-SHOP', key!)}` };
    const products = (await (await fetch(`${url}/products`, { headers })).json()) as unknown[];
    expect(products.length).toBeGreaterThan(100);
    expect(await service.stop()).toBe(0);
    const again = start({});
    await again.ready();
    expect(again.output).not.toContain('API key');
  });
}
