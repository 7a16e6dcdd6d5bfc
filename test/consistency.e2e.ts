import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { importFiles } from './support/import-files.js';
import { killSessionsOn } from './support/server-sessions.js';
import { engine, TestService } from './support/test-service.js';
import {
  catalogueVersion,
  loadVersion,
  SlowDownload,
  VERSION_1,
  VERSION_2,
  versionsIn,
} from './support/versioned-catalogue.js';
import { until } from './support/until.js';

const ENVIRONMENT = {
  DOWNLOAD_POOL_SIZE: '5',
  DATABASE_WAIT_MS: '2000',
  JWT_SECRET: 's'.repeat(32),
  RESPONSE_CACHE_MEGABYTES: '0',
};
/** Without spool files, a download that its client does not read holds its slot and its snapshot. */
const HOLDING = { SPOOL_MEGABYTES: '0' };

let service: TestService;
let token: string;

beforeAll(async () => {
  service = await TestService.start(ENVIRONMENT);
  await loadVersion(service.database, 1);
  token = await service.token('C');
});
afterAll(() => service.close());

const restart = async (environment: Record<string, string>) => {
  await service.stop();
  service = await TestService.start({ ...ENVIRONMENT, ...environment }, service.database);
};

const beginHttp10 = () => SlowDownload.begin(service.url, '/products', token, '1.0');
const beginHttp10AndHalfClose = async () => {
  const slow = await beginHttp10();
  slow.closeSide();
  return slow;
};

test('downloads that start before an import are completely old, and the next one is completely new', async () => {
  const downloads = await Promise.all([1, 2].map(() => SlowDownload.begin(service.url, '/products', token)));
  await service.database.load(catalogueVersion(2));
  expect(versionsIn(await service.text('/products', token))).toEqual(new Set([VERSION_2]));
  for (const download of downloads) expect(versionsIn(await download.finish())).toEqual(new Set([VERSION_1]));
  await loadVersion(service.database, 1);
});

test('downloads that start during an import are completely old or completely new', async () => {
  const importing = service.database.load(catalogueVersion(2));
  const seen = versionsIn(await service.text('/products', token));
  for (let done = false; !done;) {
    done = await Promise.race([importing.then(() => true), sleep(20, false)]);
    const versions = versionsIn(await service.text('/products', token));
    expect(versions.size).toBe(1);
    for (const version of versions) seen.add(version);
  }
  expect(seen).toEqual(new Set([VERSION_1, VERSION_2]));
  await loadVersion(service.database, 1);
});

test('a damaged row in the middle of a body aborts the response', async () => {
  await service.database.sql(`UPDATE product_images SET IsPrimaryImage = 7 WHERE SKU = 'P-01400'`);
  const download = await SlowDownload.begin(service.url, '/products', token);
  expect(download.status).toBe(200);
  expect(await download.breaks()).toBe(true);
  expect(service.log.join('\n')).toContain('ProductImage P-01400: IsPrimaryImage does not hold a boolean');
  await service.database.sql(`UPDATE product_images SET IsPrimaryImage = 1`);
});

test('an aborted response to an HTTP/1.0 client resets the connection, the only sign that the body is incomplete', async () => {
  await service.database.sql(`UPDATE product_images SET IsPrimaryImage = 7 WHERE SKU = 'P-01400'`);
  expect(await SlowDownload.reset(beginHttp10)).toBe(true);
  // The JSON is also incomplete, for clients whose system does not report the reset.
  const body = await (await beginHttp10()).finish();
  expect(() => JSON.parse(body ?? '')).toThrow(SyntaxError);
  await service.database.sql(`UPDATE product_images SET IsPrimaryImage = 1`);
});

test('a damaged row before the first byte returns 500', async () => {
  await service.database.sql(`UPDATE product_images SET IsPrimaryImage = 7 WHERE SKU = 'P-00000'`);
  const response = await service.get('/products', token);
  expect(response.status).toBe(500);
  expect(Object.keys((await response.json()) as object)).toEqual(['error']);
  await service.database.sql(`UPDATE product_images SET IsPrimaryImage = 1`);
});

test('50 aborted downloads release their connections', async () => {
  service.log.length = 0;
  for (let round = 0; round < 10; round++) {
    const downloads = await Promise.all(
      Array.from({ length: 5 }, () => SlowDownload.begin(service.url, '/products', token)),
    );
    for (const download of downloads) download.abort();
  }
  // A client that disconnects is not logged as an error.
  expect(service.log.filter((line) => line.includes('aborted: '))).toEqual([]);
  expect(versionsIn(await service.text('/products', token))).toEqual(new Set([VERSION_1]));
});

test('the service aborts the response of a client that stops reading, and releases its slot', async () => {
  await restart({ ...HOLDING, DOWNLOAD_POOL_SIZE: '1', DOWNLOAD_STALL_SECONDS: '1', DATABASE_WAIT_MS: '10000' });
  const stalled = await SlowDownload.begin(service.url, '/products', token);
  expect(versionsIn(await service.text('/products', token))).toEqual(new Set([VERSION_1]));
  if (engine === 'sqlite') await sleep(2500);
  expect(await stalled.breaks()).toBe(true);
});

test('HEAD does not read the rows that GET reads', async () => {
  await service.database.sql(`UPDATE product_images SET IsPrimaryImage = 7 WHERE SKU = 'P-00000'`);
  const statusOf = async (method: string) => {
    const response = await fetch(`${service.url}/products`, { method, headers: { Authorization: `Bearer ${token}` } });
    return response.status;
  };
  expect([await statusOf('GET'), await statusOf('HEAD')]).toEqual([500, 200]);
  await service.database.sql(`UPDATE product_images SET IsPrimaryImage = 1`);
});

test('an aborted response to an HTTP/1.0 client that half-closed resets the connection', async () => {
  expect(await SlowDownload.reset(beginHttp10AndHalfClose)).toBe(true);
});

/** Returns the bytes of a GET request. */
const request = (path: string, bearer: string) =>
  `GET ${path} HTTP/1.1\r\nHost: test\r\nAuthorization: Bearer ${bearer}\r\n\r\n`;

describe('pipelined requests on one connection', () => {
  test('return responses in order, each for its own token', async () => {
    await service.database.load(importFiles({ 'customers.csv': [['EMPTY', '', '', '', '0']] }));
    const other = await service.token('EMPTY');
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
    socket.write(request('/stock', other) + request('/prices', token) + request('/stock', other));
    socket.write(request('/api/version', other).replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'));
    const text = (await socket.setEncoding('utf8').toArray()).join('');
    const bodies = text.split(/HTTP\/1\.1 200 OK\r\n/).slice(1);
    const sizes = bodies.map((body) => body.match(/"SKU"/g)?.length ?? 0);
    expect(sizes).toEqual([0, 1500, 0, 0]);
    expect(bodies[3]).toContain('{"apiVersion":"2026-04"}');
  });

  test('release their slots when the client disconnects', async () => {
    for (let client = 0; client < 4; client++) {
      const socket = connect(Number(new URL(service.url).port), '127.0.0.1').on('error', () => undefined);
      socket.write(request('/products', token));
      await new Promise((resolve) => socket.once('data', resolve));
      socket.pause();
      socket.write(request('/products', token).repeat(3));
      await sleep(300);
      socket.destroy();
    }
    expect(versionsIn(await service.text('/products', token))).toEqual(new Set([VERSION_1]));
  });

  test('release their slots when the response before them is aborted', async () => {
    await restart({ ...HOLDING, DOWNLOAD_STALL_SECONDS: '1' });
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1').on('error', () => undefined);
    socket.pause();
    socket.write(request('/products', token).repeat(5));
    await until('the response is aborted', () => service.log.some((line) => line.includes('aborted: ')));
    await sleep(500);
    const metrics = await (await fetch(`${service.managementUrl}/metrics`)).text();
    expect(metrics).toMatch(/^customer_data_downloads_active 0$/m);
    socket.destroy();
    await restart({});
  });

  test('followed by garbage return the complete response first (decision 106)', async () => {
    const download = await SlowDownload.begin(service.url, '/products', token);
    download.send('nonsense\r\n\r\n');
    expect(versionsIn((await download.finish())!)).toEqual(new Set([VERSION_1]));
    expect(download.text).not.toContain('malformed');
  });

  test('with garbage in a request body abort the response without adding an error to it', async () => {
    const chunked = 'Transfer-Encoding: chunked';
    const download = await SlowDownload.begin(service.url, '/products', token, '1.1', chunked);
    download.send('nonsense\r\n\r\n');
    expect(await download.breaks()).toBe(true);
    expect(download.text).not.toContain('malformed');
  });
});

if (engine === 'mysql') {
  test('a lost database connection aborts the response, and the next request succeeds', async () => {
    const download = await SlowDownload.begin(service.url, '/products', token);
    expect(await killSessionsOn(service.database)).toBeGreaterThan(0);
    expect(await download.breaks()).toBe(true);
    expect(versionsIn(await service.text('/products', token))).toEqual(new Set([VERSION_1]));
  });

  test('data endpoints return 500 within the wait if no connection is free, and probes return 200', async () => {
    await restart({ ...HOLDING, DOWNLOAD_POOL_SIZE: '1', DATABASE_WAIT_MS: '300' });
    const first = await SlowDownload.begin(service.url, '/products', token);
    expect((await service.get('/stock', token)).status).toBe(500);
    expect((await service.get('/health')).status).toBe(200);
    expect((await fetch(`${service.managementUrl}/readyz`)).status).toBe(200);
    first.abort();
    expect(versionsIn(await service.text('/products', token))).toEqual(new Set([VERSION_1]));
  });
}
