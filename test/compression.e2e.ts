import { randomBytes } from 'node:crypto';
import { DECODERS } from './support/decoders.js';
import { ENDPOINTS } from './support/expected-responses.js';
import { call } from './support/http-call.js';
import { TestService } from './support/test-service.js';
import { loadVersion, SlowDownload, VERSION_1, versionsIn } from './support/versioned-catalogue.js';

const JWT_SECRET = 's'.repeat(40);
const COMPRESSED = ['gzip', 'br'];

let service: TestService;
let other: TestService;
let token: string;
beforeAll(async () => {
  service = await TestService.start({ JWT_SECRET, DOWNLOAD_POOL_SIZE: '2' });
  other = await TestService.start({ JWT_SECRET }, service.database);
  await loadVersion(service.database, 1);
  // Random text, which does not compress: a client that stops reading makes the service wait.
  for (let part = 0; part < 10; part++)
    await service.database.sql('UPDATE products SET WebsiteDescription = ? WHERE SKU LIKE ?', [
      randomBytes(6000).toString('base64'),
      `%${part}`,
    ]);
  await service.database.cliOk('documents', 'build');
  token = await service.token('C');
});
afterAll(async () => {
  await other.stop();
  await service.close();
});

const get = (path: string, accept?: string, { from = service, method = 'GET' } = {}) =>
  call(from.url, { path, method, token, headers: accept === undefined ? {} : { 'Accept-Encoding': accept } });

test.each<[string | undefined, string]>([
  [undefined, 'identity'],
  ['', 'identity'],
  ['identity', 'identity'],
  ['gzip', 'gzip'],
  ['GZIP', 'gzip'],
  ['br', 'br'],
  ['br;q=0.5, gzip;q=0.9', 'gzip'],
  ['br;q=0.9, gzip;q=0.5', 'br'],
  ['gzip;q=0', 'identity'],
  ['gzip;q=0, br', 'br'],
  ['gzip;q=0.000, br;q=0.001', 'br'],
  ['deflate, zstd', 'identity'],
  ['deflate, gzip;q=0.1', 'gzip'],
  ['*;q=0', 'identity'],
  ['gzip;q=1.0, *;q=0', 'gzip'],
  ['identity;q=0, gzip', 'gzip'],
  ['identity;q=0.5, gzip;q=0.1', 'identity'],
  ['nonsense;;q=x,,', 'identity'],
])('Accept-Encoding %j returns %s', async (accept, encoding) => {
  const plain = await get('/stock');
  const response = await get('/stock', accept);
  expect(response.status).toBe(200);
  expect(response.headers['content-encoding'] ?? 'identity').toBe(encoding);
  expect(response.headers.vary).toBe('Authorization, Accept, Accept-Encoding');
  expect(response.headers['content-type']).toBe('application/json; charset=utf-8');
  expect(DECODERS[encoding]!(response.bytes).equals(plain.bytes)).toBe(true);
});

test.each(['*', 'identity;q=0', 'identity;q=0, *', '*;q=0, identity;q=0'])(
  'Accept-Encoding %j returns a body in the encoding of its Content-Encoding',
  async (accept) => {
    const response = await get('/stock', accept);
    const encoding = response.headers['content-encoding'] ?? 'identity';
    expect(response.status).toBe(200);
    expect(DECODERS[encoding]!(response.bytes).equals((await get('/stock')).bytes)).toBe(true);
  },
);

describe.each(COMPRESSED)('with %s,', (encoding) => {
  test.each(ENDPOINTS)('%s has the same text in fewer bytes', async (path) => {
    const [plain, response] = [await get(path), await get(path, encoding)];
    expect(DECODERS[encoding]!(response.bytes).equals(plain.bytes)).toBe(true);
    expect(response.bytes.length).toBeLessThan(plain.bytes.length);
  });

  test('equal ETags mean equal bytes on every replica, with stored and with rebuilt documents', async () => {
    const first = await get('/products', encoding);
    await service.database.sql(`DELETE FROM product_documents WHERE SKU LIKE '%7'`);
    for (const from of [service, other]) {
      const again = await get('/products', encoding, { from });
      expect([again.headers.etag, again.bytes.equals(first.bytes)]).toEqual([first.headers.etag, true]);
    }
    await service.database.cliOk('documents', 'build');
  });

  test('HEAD returns encoding and ETag without a body', async () => {
    const [full, head] = [await get('/prices', encoding), await get('/prices', encoding, { method: 'HEAD' })];
    for (const name of ['content-encoding', 'content-type', 'etag', 'vary', 'cache-control'])
      expect([name, head.headers[name]]).toEqual([name, full.headers[name]]);
    expect([head.status, head.bytes.length]).toEqual([200, 0]);
  });

  test('an invalid row in the middle of a body aborts the response, so that no client mistakes it for a complete one', async () => {
    await service.database.sql(`UPDATE product_images SET IsPrimaryImage = 7 WHERE SKU = 'P-01400'`);
    other.log.length = 0;
    const download = await SlowDownload.begin(service.url, '/products', token, '1.1', `Accept-Encoding: ${encoding}`);
    expect(download.status).toBe(200);
    expect(await download.isAborted()).toBe(true);
    // The service that was created last collects the log of this process.
    expect(other.log.join('\n')).toContain('ProductImage P-01400: IsPrimaryImage does not hold a boolean');
    await service.database.sql(`UPDATE product_images SET IsPrimaryImage = 1`);
    await service.database.cliOk('documents', 'build');
  });

  test('an invalid row before the first byte returns an uncompressed error', async () => {
    await service.database.sql(`UPDATE product_images SET IsPrimaryImage = 7 WHERE SKU = 'P-00000'`);
    const response = await get('/products', encoding);
    expect([response.status, response.headers['content-encoding']]).toEqual([500, undefined]);
    expect(JSON.parse(response.body)).toHaveProperty('error');
    await service.database.sql(`UPDATE product_images SET IsPrimaryImage = 1`);
    await service.database.cliOk('documents', 'build');
  });

  test('aborted downloads free their slots: the next download succeeds with two slots', async () => {
    for (let round = 0; round < 5; round++) {
      const downloads = await Promise.all(
        [1, 2].map(() => SlowDownload.begin(service.url, '/products', token, '1.1', `Accept-Encoding: ${encoding}`)),
      );
      for (const download of downloads) download.abort();
    }
    const { bytes } = await get('/products', encoding);
    expect(versionsIn(DECODERS[encoding]!(bytes).toString())).toEqual(new Set([VERSION_1]));
  });
});

test('other responses, including errors, are not compressed', async () => {
  for (const path of ['/api/version', '/health', '/nowhere'])
    expect([path, (await get(path, 'gzip, br')).headers['content-encoding']]).toEqual([path, undefined]);
});
