import type { NestExpressApplication } from '@nestjs/platform-express';
import { DatabaseService } from '../src/database/database.service.js';
import type { Query } from '../src/database/query.js';
import { CHANGES, DATA } from './support/data-endpoints.js';
import { fillEmptyTables } from './support/filled-tables.js';
import { type Call, call } from './support/http-call.js';
import { importFiles } from './support/import-files.js';
import { startWithApp } from './support/running-app.js';
import { engine, type TestService } from './support/test-service.js';
import { catalogueVersion, loadVersion, SlowDownload } from './support/versioned-catalogue.js';

let service: TestService;
let app: NestExpressApplication;
let token: string;
beforeEach(async () => {
  ({ service, app } = await startWithApp());
  await service.database.load(catalogueVersion(1));
  await fillEmptyTables(service.database, { PriceListCode: 'L', WarehouseCode: 'W' });
  token = await service.token('C');
});
afterEach(async () => {
  jest.restoreAllMocks();
  await service.close();
});

const outcomeOf = (path: string, headers?: Call['headers']) =>
  call(service.url, { path, token, headers }).then(
    ({ status, body }) => [status, body],
    ({ code }: NodeJS.ErrnoException) => [code],
  );

type PathAndHeaders = [path: string, headers: Record<string, string>];

const plainCalls = (paths: readonly string[]) => paths.map((path): PathAndHeaders => [path, {}]);

/** Changes two products, and returns the requests for the deltas that contain them. */
async function deltaCalls(): Promise<PathAndHeaders[]> {
  const calls: PathAndHeaders[] = [];
  for (const path of CHANGES) {
    const { headers } = await call(service.url, { path, token, method: 'HEAD' });
    calls.push([path, { 'If-None-Match': headers.etag! }]);
  }
  await service.database.load(importFiles({ 'products.csv': ['P-00000', 'P-01499'].map((sku) => [sku, 'changed']) }));
  for (const [path, headers] of calls) {
    const [status, body] = await outcomeOf(path, headers);
    expect([path, status, body]).toEqual([path, 200, expect.stringContaining('"Complete":false')]);
  }
  return calls;
}
const sql = (...statements: string[]) => service.database.sql(statements);

async function violations(invariant: string): Promise<number> {
  const text = await (await fetch(`${service.managementUrl}/metrics`)).text();
  const pattern = new RegExp(`^customer_data_invariant_violations_total\\{invariant="${invariant}"\\} (\\d+)$`, 'm');
  return Number(pattern.exec(text)![1]);
}

/** Replaces the query of snapshots. */
function replaceQuery(change: (query: Query) => Query): void {
  const database = app.get(DatabaseService);
  const snapshot = database.snapshot.bind(database);
  jest.spyOn(database, 'snapshot').mockImplementation(async () => {
    const opened = await snapshot();
    return { ...opened, query: change(opened.query) };
  });
}

const UNEXPECTED = [500, expect.stringContaining('"error"')];

// Of 1500 SKUs, the first one is in the first batch, before the first byte. The last one is in a later batch.
test.each([
  ['P-00000', UNEXPECTED],
  ['P-01499', ['ECONNRESET']],
])(
  'a duplicate SKU, %s, fails the response: the keys of elements must be strictly ascending (decision 153)',
  async (sku, expected) => {
    const deltas = await deltaCalls();
    const before = await violations('order');
    // Simulates a restore into tables without keys.
    await sql(
      'ALTER TABLE prices RENAME TO keyed',
      'CREATE TABLE prices AS SELECT * FROM keyed',
      `INSERT INTO prices SELECT * FROM keyed WHERE SKU = '${sku}'`,
    );
    for (const [path, headers] of plainCalls([...DATA, ...CHANGES]))
      expect([path, await outcomeOf(path, headers)]).toEqual([path, expected]);
    for (const [path, headers] of deltas) expect([path, await outcomeOf(path, headers)]).toEqual([path, UNEXPECTED]);
    expect(service.log.join('\n')).toContain(`The keys of elements are not strictly ascending: ${sku} follows ${sku}`);
    // On a server, the statement of a delta names the primary key of prices. It fails because the table has none.
    const detected = DATA.length + CHANGES.length + (engine === 'sqlite' ? deltas.length : 0);
    expect(await violations('order')).toBe(before + detected);
    await sql('DROP TABLE prices', 'ALTER TABLE keyed RENAME TO prices');
    expect((await outcomeOf('/prices'))[0]).toBe(200);
  },
);

test('SKUs that are not in code-point order fail the response (decision 153)', async () => {
  replaceQuery((query) => async (statement, parameters) => {
    const rows = await query(statement, parameters);
    return /^SELECT.* LIMIT \d{3,}$/s.test(statement) ? rows.toReversed() : rows;
  });
  for (const path of ['/stock', '/prices']) expect(await outcomeOf(path)).toEqual(UNEXPECTED);
});

test('a snapshot that shows other versions at its end fails the response (decision 153)', async () => {
  const deltas = await deltaCalls();
  const before = await violations('snapshot');
  let reads = 0;
  replaceQuery((query) => async (statement, parameters) => {
    const rows = await query(statement, parameters);
    if (!rows[0] || !('stockVersion' in rows[0])) return rows;
    // The first read is for the header. The second one is at the end of the body.
    return ++reads % 2 ? rows : rows.map((row) => ({ ...row, stockVersion: 'another' }));
  });
  // All responses here have a second batch, so the headers are sent before the failure.
  for (const [path, headers] of [...plainCalls([...DATA, ...CHANGES]), ...deltas])
    expect([path, (await outcomeOf(path, headers))[0]]).toEqual([path, 'ECONNRESET']);
  expect(service.log.join('\n')).toContain('The snapshot shows another state of the content than at its start');
  expect(await violations('snapshot')).toBe(before + DATA.length + CHANGES.length + deltas.length);
});

if (engine === 'mysql')
  test('a change fails running responses if content_versions has an engine without transactions', async () => {
    await loadVersion(service.database, 1);
    await sql('ALTER TABLE content_versions ENGINE = MyISAM');
    const download = await SlowDownload.begin(service.url, '/products', token);
    await sql(`UPDATE products SET Name = 'v2'`);
    expect(await download.finish()).toBeUndefined();
    expect(service.log.join('\n')).toContain('The snapshot shows another state');
    expect((await outcomeOf('/products'))[0]).toBe(200);
  });

test('the counter of every invariant starts at 0, so that Prometheus sees the first violation', async () => {
  const text = await (await fetch(`${service.managementUrl}/metrics`)).text();
  expect(
    [...text.matchAll(/^customer_data_invariant_violations_total\{invariant="(\w+)"\} \d+$/gm)].map(([, name]) => name),
  ).toEqual(['order', 'net_price', 'snapshot', 'last_sku']);
});
