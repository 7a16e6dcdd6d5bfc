import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { importFiles } from './support/import-files.js';
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
/** A download that its client does not read holds its slot and its snapshot. */
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

const beginOld = () => SlowDownload.begin(service.url, '/products', token, '1.0');
const beginAndCloseSide = async () => {
  const slow = await beginOld();
  slow.closeSide();
  return slow;
};

test('two downloads at once, an import in the middle: each is wholly old, the next is wholly new', async () => {
  const downloads = await Promise.all([1, 2].map(() => SlowDownload.begin(service.url, '/products', token)));
  await service.database.load(catalogueVersion(2));
  expect(versionsIn(await service.text('/products', token))).toEqual(new Set([VERSION_2]));
  for (const download of downloads) expect(versionsIn(await download.finish())).toEqual(new Set([VERSION_1]));
  await loadVersion(service.database, 1);
});

test('downloads that start while an import runs are each wholly old or wholly new', async () => {
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

test('a row that cannot be written, in mid-body, cuts the transfer', async () => {
  await service.database.sql(`UPDATE product_images SET IsPrimaryImage = 7 WHERE SKU = 'P-01400'`);
  const download = await SlowDownload.begin(service.url, '/products', token);
  expect(download.status).toBe(200);
  expect(await download.breaks()).toBe(true);
  expect(service.log.join('\n')).toContain('ProductImage P-01400: IsPrimaryImage does not hold a boolean');
  await service.database.sql(`UPDATE product_images SET IsPrimaryImage = 1`);
});

test('a client of HTTP/1.0, which knows the end only by the connection, does not take a part for the whole', async () => {
  await service.database.sql(`UPDATE product_images SET IsPrimaryImage = 7 WHERE SKU = 'P-01400'`);
  expect(await SlowDownload.reset(beginOld)).toBe(true);
  // Nor does one whose system tells of no reset.
  const body = await (await beginOld()).finish();
  expect(() => JSON.parse(body ?? '')).toThrow(SyntaxError);
  await service.database.sql(`UPDATE product_images SET IsPrimaryImage = 1`);
});

test('a row that cannot be written, before the first byte, is a 500', async () => {
  await service.database.sql(`UPDATE product_images SET IsPrimaryImage = 7 WHERE SKU = 'P-00000'`);
  const response = await service.get('/products', token);
  expect(response.status).toBe(500);
  expect(Object.keys((await response.json()) as object)).toEqual(['error']);
  await service.database.sql(`UPDATE product_images SET IsPrimaryImage = 1`);
});

test('50 aborted downloads leave every connection free', async () => {
  service.log.length = 0;
  for (let round = 0; round < 10; round++) {
    const downloads = await Promise.all(
      Array.from({ length: 5 }, () => SlowDownload.begin(service.url, '/products', token)),
    );
    for (const download of downloads) download.abort();
  }
  // A client that leaves is no fault that an operator has to read of.
  expect(service.log.filter((line) => line.includes('aborted: '))).toEqual([]);
  expect(versionsIn(await service.text('/products', token))).toEqual(new Set([VERSION_1]));
});

test('a client that stops reading is cut, and what it held is free again', async () => {
  await restart({ ...HOLDING, DOWNLOAD_POOL_SIZE: '1', DOWNLOAD_STALL_SECONDS: '1', DATABASE_WAIT_MS: '10000' });
  const stalled = await SlowDownload.begin(service.url, '/products', token);
  expect(versionsIn(await service.text('/products', token))).toEqual(new Set([VERSION_1]));
  if (engine === 'sqlite') await sleep(2500);
  expect(await stalled.breaks()).toBe(true);
});

test('HEAD is answered without the work of GET', async () => {
  await service.database.sql(`UPDATE product_images SET IsPrimaryImage = 7 WHERE SKU = 'P-00000'`);
  const answer = async (method: string) => {
    const response = await fetch(`${service.url}/products`, { method, headers: { Authorization: `Bearer ${token}` } });
    return response.status;
  };
  expect([await answer('GET'), await answer('HEAD')]).toEqual([500, 200]);
  await service.database.sql(`UPDATE product_images SET IsPrimaryImage = 1`);
});

test('a client of HTTP/1.0 that closes its side does not take a part for the whole', async () => {
  expect(await SlowDownload.reset(beginAndCloseSide)).toBe(true);
});

/** A GET as it goes over the wire. */
const request = (path: string, bearer: string) =>
  `GET ${path} HTTP/1.1\r\nHost: test\r\nAuthorization: Bearer ${bearer}\r\n\r\n`;

describe('several requests on one connection, sent at once', () => {
  test('each is answered, as who sent it', async () => {
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

  test('those that a client leaves behind free what they hold', async () => {
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

  test('those that are cut with the one that they wait behind free what they hold', async () => {
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

  test('garbage behind a request waits for its response, which stays whole (decision 106)', async () => {
    const download = await SlowDownload.begin(service.url, '/products', token);
    download.send('nonsense\r\n\r\n');
    expect(versionsIn((await download.finish())!)).toEqual(new Set([VERSION_1]));
    expect(download.text).not.toContain('malformed');
  });

  test('garbage within the body of a request breaks its response, and puts nothing into it', async () => {
    const chunked = 'Transfer-Encoding: chunked';
    const download = await SlowDownload.begin(service.url, '/products', token, '1.1', chunked);
    download.send('nonsense\r\n\r\n');
    expect(await download.breaks()).toBe(true);
    expect(download.text).not.toContain('malformed');
  });
});

if (engine === 'mysql') {
  test('the database dies in mid-body: the transfer is broken, and the next request is served', async () => {
    const download = await SlowDownload.begin(service.url, '/products', token);
    const connections = await service.database.sql(
      'SELECT ID AS id FROM information_schema.processlist WHERE DB = DATABASE() AND ID <> CONNECTION_ID()',
    );
    for (const { id } of connections) await service.database.sql(`KILL ${id}`).catch(() => undefined);
    expect(await download.breaks()).toBe(true);
    expect(versionsIn(await service.text('/products', token))).toEqual(new Set([VERSION_1]));
  });

  test('no free connection: 500 within the wait, while small calls and the probe are answered', async () => {
    await restart({ ...HOLDING, DOWNLOAD_POOL_SIZE: '1', DATABASE_WAIT_MS: '300' });
    const first = await SlowDownload.begin(service.url, '/products', token);
    expect((await service.get('/stock', token)).status).toBe(500);
    expect((await service.get('/health')).status).toBe(200);
    expect((await fetch(`${service.managementUrl}/readyz`)).status).toBe(200);
    first.abort();
    expect(versionsIn(await service.text('/products', token))).toEqual(new Set([VERSION_1]));
  });
}
