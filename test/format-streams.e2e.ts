import { setTimeout as sleep } from 'node:timers/promises';
import { csvRows } from './support/csv-cells.js';
import { DECODERS } from './support/decoders.js';
import { ENDPOINTS } from './support/expected-responses.js';
import { call } from './support/http-call.js';
import { TestService } from './support/test-service.js';
import { catalogueVersion, loadVersion, SlowDownload } from './support/versioned-catalogue.js';

// The responses arrive in many pieces. In each test, something happens before the client has read every piece.

const JWT_SECRET = 's'.repeat(40);
const TYPES = ['text/csv', 'text/csv;delimiter=semicolon', 'application/x-ndjson'];
const ENCODINGS = ['identity', 'gzip', 'br'] as const;

let service: TestService;
let other: TestService;
let token: string;
beforeAll(async () => {
  service = await TestService.start({ JWT_SECRET, RESPONSE_CACHE_MEGABYTES: '0' });
  other = await TestService.start({ JWT_SECRET, RESPONSE_CACHE_MEGABYTES: '0' }, service.database);
  await loadVersion(service.database, 1);
  token = await service.token('C');
});
afterAll(async () => {
  await other.stop();
  await service.close();
});

const get = (
  path: string,
  type: string,
  headers: Record<string, string> = {},
  { from = service, method = 'GET' } = {},
) => call(from.url, { path, method, token, headers: { Accept: type, ...headers } });
const slowly = (type: string, version = '1.1') =>
  SlowDownload.begin(service.url, '/products', token, version, `Accept: ${type}`);

/** The names of all products in a body, which show its version. */
function namesIn(type: string, body = ''): Set<string> {
  const rows =
    type === 'application/x-ndjson'
      ? body
          .split('\n')
          .slice(0, -1)
          .map((line) => JSON.parse(line) as { Name: string })
      : csvRows(body, type.includes('semicolon') ? ';' : ',').rows;
  expect(rows).toHaveLength(1500);
  return new Set(rows.map(({ Name }) => Name!));
}

describe.each(TYPES)('in %s,', (type) => {
  test('a slow response shows no change of an import that ends in the meantime', async () => {
    const download = await slowly(type);
    await service.database.load(catalogueVersion(2));
    expect(namesIn(type, await download.finish())).toEqual(new Set(['v1']));
    expect(namesIn(type, (await get('/products', type)).body)).toEqual(new Set(['v2']));
    await loadVersion(service.database, 1);
  });

  test('an invalid row aborts the response in the middle of the body, and returns 500 before the first byte', async () => {
    const damage = (sku: string) =>
      service.database.sql('UPDATE product_images SET IsPrimaryImage = 7 WHERE SKU = ?', [sku]);
    await damage('P-01400');
    const download = await slowly(type);
    expect([download.status, await download.breaks()]).toEqual([200, true]);
    expect(await SlowDownload.reset(() => slowly(type, '1.0'))).toBe(true);
    await damage('P-00000');
    const { status, headers, body } = await get('/products', type, { 'Accept-Encoding': 'gzip' });
    expect([status, headers['content-type']]).toEqual([500, 'application/json; charset=utf-8']);
    expect(headers).not.toHaveProperty('content-encoding');
    expect(Object.keys(JSON.parse(body))).toEqual(['error']);
    await service.database.sql('UPDATE product_images SET IsPrimaryImage = 1');
    await service.database.cliOk('documents', 'build');
  });

  test('clients that disconnect in the middle of a body free their slots', async () => {
    for (let round = 0; round < 5; round++) (await slowly(type)).abort();
    for (let active = ''; active !== '0'; await sleep(20)) {
      const metrics = await (await fetch(`${service.managementUrl}/metrics`)).text();
      active = /^customer_data_downloads_active (\d+)$/m.exec(metrics)![1]!;
    }
  });

  test.each(ENDPOINTS)(
    '%s has the same body compressed, and the same ETag in a 304, for HEAD and on another replica',
    async (path) => {
      const plain = await get(path, type);
      for (const encoding of ENCODINGS) {
        const accept = { 'Accept-Encoding': encoding };
        const response = await get(path, type, accept);
        const { etag, 'content-type': contentType } = response.headers;
        expect(DECODERS[encoding]!(response.bytes).equals(plain.bytes)).toBe(true);
        expect(response.headers['content-encoding'] ?? 'identity').toBe(encoding);
        await service.database.sql(`DELETE FROM product_documents WHERE SKU LIKE '%7'`);
        const again = await get(path, type, accept, { from: other });
        expect([again.headers.etag, again.bytes.equals(response.bytes)]).toEqual([etag, true]);
        for (const method of ['GET', 'HEAD']) {
          const known = await get(path, type, { ...accept, 'If-None-Match': etag! }, { from: other, method });
          expect([known.status, known.headers.etag, known.body]).toEqual([304, etag, '']);
        }
        const head = await get(path, type, accept, { method: 'HEAD' });
        expect(head).toMatchObject({ status: 200, body: '', headers: { etag, 'content-type': contentType } });
        expect(head.headers['content-encoding'] ?? 'identity').toBe(encoding);
      }
    },
  );
});

test.each(ENDPOINTS)('%s has a different ETag for each format and encoding', async (path) => {
  const types = [
    'application/json',
    ...TYPES,
    'text/csv;bom=1',
    'text/csv;bom=1;delimiter=semicolon',
    'text/csv;decimal=comma',
  ];
  const variants = types.flatMap((type) => ENCODINGS.map((encoding) => [type, encoding] as const));
  const responses = await Promise.all(
    variants.map(([type, encoding]) => get(path, type, { 'Accept-Encoding': encoding }, { method: 'HEAD' })),
  );
  const tags = responses.map(({ headers }) => headers.etag!);
  expect(new Set(tags).size).toBe(variants.length);
  // The ETag of another format does not match.
  for (const type of types) {
    const others = tags.filter((_, index) => variants[index]![0] !== type).join();
    expect((await get(path, type, { 'If-None-Match': others })).status).toBe(200);
  }
  // Equal formats have the same ETag, however Accept is written.
  const respelled = await get(path, 'Text/CSV; charset=UTF-8; bom=0; delimiter=comma, */*;q=0.1');
  expect(respelled.headers.etag).toBe((await get(path, 'text/csv')).headers.etag);
});

test('a stored document that lacks a key aborts CSV, because its cells would shift into other columns', async () => {
  await service.database.sql(`UPDATE product_documents SET Document = '{"SKU":"x"' WHERE SKU = 'P-01400'`);
  expect(await (await slowly('text/csv')).breaks()).toBe(true);
  await service.database.cliOk('documents', 'build', '--all');
});
