import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DataSource, type QueryRunner } from 'typeorm';
import { engineOf } from '../src/database/engine-factory.js';
import { inShortAttempts } from '../src/database/migrations/short-attempts.js';
import { importFiles } from './support/import-files.js';
import { engine, type Environment, TestService } from './support/test-service.js';
import { until } from './support/until.js';
import { catalogueVersion, loadVersion, SlowDownload, VERSION_1, versionsIn } from './support/versioned-catalogue.js';

const embedded = engine === 'sqlite';
const alter = (runner: QueryRunner) => runner.query(`ALTER TABLE products COMMENT = 'altered'`);

const JWT_SECRET = 's'.repeat(40);
const CUSTOMERS = ['C', 'D', 'E'];

let service: TestService;
let folder: string;
const tokens: Record<string, string> = {};
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'customer-data-spool-'));
  service = await TestService.start({ JWT_SECRET });
  await service.database.load(catalogueVersion(1));
  await service.database.load(
    importFiles({ 'customers.csv': CUSTOMERS.map((code) => [code, 'Customer', 'L', 'W', '10']) }),
  );
  for (const code of CUSTOMERS) tokens[code] = await service.token(code);
});
beforeEach(() => loadVersion(service.database, 1));
afterEach(() => void open.splice(0).forEach((download) => download.abort()));
afterAll(async () => {
  await service.close();
  await rm(folder, { recursive: true });
});

const open: SlowDownload[] = [];

async function restart(environment: Environment): Promise<void> {
  await service.stop();
  const settings = { JWT_SECRET, SPOOL_FOLDER: folder, RESPONSE_CACHE_MEGABYTES: '0', ...environment };
  service = await TestService.start(settings, service.database);
}

/** A download whose client stops reading. */
async function stalled(customer = 'C', version?: string): Promise<SlowDownload> {
  const download = await SlowDownload.begin(service.url, '/products', tokens[customer]!, version);
  open.push(download);
  return download;
}

async function metric(name: string): Promise<number> {
  const text = await (await fetch(`${service.managementUrl}/metrics`)).text();
  return Number(new RegExp(`^customer_data_${name} (.*)$`, 'm').exec(text)![1]);
}

const untilRead = () => until('the database was read', async () => (await metric('downloads_active')) === 0);

const untilFree = async () => {
  for (const name of ['downloads_in_flight', 'spool_bytes'])
    await until(`${name} is 0`, async () => (await metric(name)) === 0);
};

describe('with a spool,', () => {
  test('stalled clients hold no connection and receive one snapshot to the last byte, despite imports during the download', async () => {
    await restart({ DOWNLOAD_POOL_SIZE: '1' });
    const downloads = [await stalled('C'), await stalled('D'), await stalled('E', '1.0')];
    await untilRead();
    expect([await metric('downloads_in_flight'), (await metric('spool_bytes')) > 1_000_000]).toEqual([3, true]);
    expect(await metric('spool_up')).toBe(1);
    expect(await readdir(folder)).toEqual([]);
    await service.database.load(catalogueVersion(2));
    for (const download of downloads) expect(versionsIn(await download.finish())).toEqual(new Set([VERSION_1]));
    await untilFree();
  });

  test('a response that is still being sent counts against its customer and no other', async () => {
    await restart({ DOWNLOADS_PER_CUSTOMER: '2', DATABASE_WAIT_MS: '400' });
    const [first] = [await stalled('C'), await stalled('C')];
    await untilRead();
    expect((await service.get('/stock', tokens.C)).status).toBe(500);
    expect((await service.get('/stock', tokens.D)).status).toBe(200);
    first.abort();
    await until('a free place', async () => (await metric('downloads_in_flight')) === 1);
    expect((await service.get('/stock', tokens.C)).status).toBe(200);
  });

  test('a client that reads too slowly is aborted even after the database was read', async () => {
    await restart({ DOWNLOAD_STALL_SECONDS: '1' });
    const download = await stalled();
    await untilRead();
    await until('the abort', () => service.log.some((line) => line.includes('bytes were sent in 10 s')));
    expect(await download.isAborted()).toBe(true);
    await untilFree();
  });

  test('a shutdown sends the spooled bytes first', async () => {
    await restart({});
    const download = await stalled();
    await untilRead();
    const stopped = service.stop();
    await sleep(200);
    expect(versionsIn(await download.finish())).toEqual(new Set([VERSION_1]));
    await stopped;
    service = await TestService.start({ JWT_SECRET }, service.database);
  });

  test('a failure after the spool was opened resets the connection', async () => {
    await restart({});
    await service.database.sql(`UPDATE product_images SET IsPrimaryImage = 7 WHERE SKU = 'P-01499'`);
    try {
      const download = await stalled();
      await until('the abort', () => service.log.some((line) => line.includes('IsPrimaryImage')));
      expect(await download.isAborted()).toBe(true);
      await untilFree();
    } finally {
      await service.database.sql('UPDATE product_images SET IsPrimaryImage = 1');
      await service.database.cliOk('documents', 'build');
    }
  });
});

describe.each([
  ['SPOOL_MEGABYTES=0', { SPOOL_MEGABYTES: '0' }],
  ['a folder that cannot be written', { SPOOL_FOLDER: '/proc' }],
])('with %s,', (_what, environment) => {
  test('the service logs a warning at startup and sets the metric to 0', async () => {
    await restart(environment);
    const warnings = service.log.filter((line) => line.includes('hold a database connection until they are sent'));
    expect([warnings.length, await metric('spool_up')]).toEqual([1, 0]);
  });

  test('a waiting customer receives a slot of the customer with the most slots', async () => {
    await restart({ ...environment, DOWNLOAD_POOL_SIZE: '3', DOWNLOADS_PER_CUSTOMER: '2' });
    const downloads = [await stalled('C'), await stalled('C'), await stalled('D')];
    const start = performance.now();
    expect((await service.get('/stock', tokens.E)).status).toBe(200);
    expect(performance.now() - start).toBeLessThan(7000);
    const lines = service.log.filter((line) => line.includes('another customer waits for the slot'));
    expect(lines).toHaveLength(1);
    expect(versionsIn(await downloads[2]!.finish())).toEqual(new Set([VERSION_1]));
    const ofC = await Promise.all([downloads[0]!.isAborted(), downloads[1]!.isAborted()]);
    expect(ofC.toSorted()).toEqual([false, true]);
  });
});

test('a migration aborts responses whose clients hold a snapshot open', async () => {
  await restart({ SPOOL_MEGABYTES: '0' });
  const download = await stalled();
  const dataSource = await new DataSource(engineOf(service.database.settings()).options).initialize();
  const queryRunner = dataSource.createQueryRunner();
  const lines: string[] = [];
  if (!embedded) await inShortAttempts(queryRunner, alter, (line) => lines.push(line));
  await dataSource.destroy();
  // On SQLite, an open snapshot does not block changes of a table.
  expect([lines.length, await download.isAborted()]).toEqual(embedded ? [0, false] : [1, true]);
  expect(service.log.join('\n').includes('a migration waits for its snapshot')).toBe(!embedded);
});
