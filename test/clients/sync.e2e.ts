import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { applied, deltaSince, sorted, wholeState } from '../support/change-oracle.js';
import { describeUnless } from '../support/describe-with.js';
import type { Fault } from '../support/faulty-proxy.js';
import { call } from '../support/http-call.js';
import { importFiles } from '../support/import-files.js';
import { A, smallCatalogue } from '../support/small-catalogue.js';
import { EXAMPLES, NOT_RUN, SCRIPTS, type SyncScript, SyncScripts } from '../support/sync-script.js';
import { TestService } from '../support/test-service.js';

const CUT = resolve(EXAMPLES, '../cut.mjs');
const PAGES = resolve(EXAMPLES, '../languages');

/** The last SKU of all responses, with characters that JSON escapes, URLs encode, or UTF-8 writes as several bytes. */
const LAST = 'Z "1/2" +50 %41 \\ ü€😀';
/** A customer whose responses are empty. */
const NOTHING = 'SHOP-NOTHING';
/** Products that never change. One product of A is then less than a fifth of all. */
const STABLE = ['K-1', 'K-2', 'K-3', 'K-4', 'K-5', 'Keys', 'Count', 'k-1'];

let service: TestService;
let key: string;
let token: string;
let scripts: SyncScripts;
beforeAll(async () => {
  service = await TestService.start();
  await service.database.load(smallCatalogue);
  await service.database.load(
    importFiles({
      'products.csv': [LAST, ...STABLE].map((sku) => [sku, 'Zebra']),
      'prices.csv': [LAST, ...STABLE].map((sku) => ['LIST-A', sku, '1', '', '', 'true']),
      'stock.csv': [LAST, ...STABLE].map((sku) => ['WH-A', sku, '1']),
      'customers.csv': [[NOTHING, 'Shop without a price list', '', '', '0']],
    }),
  );
  key = await service.key(A);
  token = await service.token(A);
  scripts = await SyncScripts.fast(service.url);
}, 120_000);
afterAll(async () => {
  scripts.close();
  await service.close();
});

/** Runs all scripts at once. @returns the output of each, by script */
const syncAll = (...faults: Fault[]) => scripts.each((one) => one.sync(key, { faults }));

const NAMES = ['products', 'prices', 'stock'] as const;
type Name = (typeof NAMES)[number];

/** How many elements an endpoint has, and how many differ from the stored ones. */
type Counts = [added: number, changed: number, gone: number, all: number];
const counted = (name: Name, [added, changed, gone, all]: Counts) =>
  `${name}: ${added} new, ${changed} changed, ${gone} gone, ${all} in all\n`;
const printed = (products: Counts, prices: Counts, stock: Counts) =>
  counted('products', products) + counted('prices', prices) + counted('stock', stock);

/** Expects each script to print these numbers. */
function expectPrinted(results: Record<string, string>, ...counts: Parameters<typeof printed>): void {
  expect(results).toEqual(scripts.everyOne(printed(...counts)));
}

/** The stored elements by SKU. Each line is whole. */
const elementsOf = (text: string) =>
  new Map((text.match(/.+\n/g) ?? []).map((line) => [JSON.parse(line).SKU as string, line.trimEnd()]));

const linesIn = (text: string) => text.split('\n').toSorted();

/** Expects each script to have exactly the data of the service, and a tag that names this state. */
async function expectInStep(): Promise<void> {
  for (const name of NAMES) {
    const headers = { Accept: 'application/x-ndjson' };
    const { body } = await call(service.url, { path: `/${name}`, token, headers });
    for (const one of scripts.all) {
      expect([one.script, linesIn(one.storedFile(`${name}.ndjson`))]).toEqual([one.script, linesIn(body)]);
      expect([one.script, await missing(one, name)]).toEqual([one.script, undefined]);
    }
  }
}

/** The changes since the stored state of a script. @returns undefined if nothing has changed */
async function missing(one: SyncScript, name: Name) {
  const etag = one.storedFile(`${name}.etag`);
  expect([one.script, etag]).toEqual([one.script, expect.stringMatching(/^(W\/)?"[^"\n]+"$/)]);
  return deltaSince(service, `/${name}`, token, etag);
}

/**
 * Expects that the stored tag of each script is missing, or that its changes complete the stored elements. A script that
 * is killed while it writes the tag leaves an empty file, which it reads as a missing tag.
 */
async function expectConsistent(): Promise<void> {
  for (const name of NAMES) {
    const now = sorted(await wholeState(service, `/${name}`, token));
    for (const one of scripts.all) {
      const elements = elementsOf(one.storedFile(`${name}.ndjson`));
      if (!one.stores(`${name}.etag`) || one.storedFile(`${name}.etag`) === '') continue;
      const kept = { etag: '', elements };
      expect([one.script, sorted(applied(kept, await missing(one, name)))]).toEqual([one.script, now]);
    }
  }
}

/** Expects that the next response to each script is complete, or that it is a delta. */
async function expectNext(name: Name, { complete }: { complete: boolean }): Promise<void> {
  for (const one of scripts.all)
    expect([one.script, (await missing(one, name))?.complete]).toEqual([one.script, complete]);
}

/** Expects each script to have received these responses with data. */
function expectResponses(...expected: string[]): void {
  for (const { script, proxy } of scripts.all) expect([script, proxy.responses]).toEqual([script, expected]);
}

const FILES = NAMES.flatMap((name) => [`${name}.ndjson`, `${name}.etag`]);
const keptBy = (one: SyncScript) => FILES.map((file) => one.storedFile(file));

async function expectFailed(secret: string, ...faults: Fault[]): Promise<void> {
  const before = scripts.all.map(keptBy);
  const results = await scripts.each((one) => one.sync(secret, { faults }));
  for (const [script, result] of Object.entries(results))
    expect([script, result]).toEqual([script, expect.stringMatching(/^failed with (1|255), and printed nothing$/)]);
  expect(scripts.all.map(keptBy)).toEqual(before);
}

const isOlderRelease = (value: boolean) => {
  for (const { proxy } of scripts.all) proxy.isOlderRelease = value;
};
afterEach(() => isOlderRelease(false));

const load = (files: Parameters<typeof importFiles>[0]) => service.database.load(importFiles(files));
const UNCHANGED = 'products: unchanged\nprices: unchanged\nstock: unchanged\n';

test('the tests cover every sync script', () => {
  const examples = readdirSync(EXAMPLES).filter((name) => name.toLowerCase().startsWith('sync.'));
  expect(examples.toSorted()).toEqual(SCRIPTS.toSorted());
});

test.each(SCRIPTS)('%s has a page, the current API profile and the common exit codes', async (script) => {
  const source = readFileSync(join(EXAMPLES, script), 'utf8');
  const { apiVersion } = (await (await service.get('/api/version')).json()) as { apiVersion: string };
  expect(/\bapi_?version *= *["']?(\d{4}-\d{2})/i.exec(source)?.[1]).toBe(apiVersion);
  for (const stop of [/\b(stop|stop-script|exit)[ (]20\b/i, /\b(stop|stop-script|exit)[ (]21\b/i, /--allow-removals/])
    expect(source).toMatch(stop);
  const pages = readdirSync(PAGES).map((page) => readFileSync(join(PAGES, page), 'utf8'));
  const page = pages.find((content) => content.includes(`(../examples/${script})`));
  expect(page).toContain('(../README.md#how-the-scripts-end)');
  expect(page!.includes('Our tests have not run this script')).toBe(script === 'sync.ps1');
  expect(readFileSync(join(PAGES, '../README.md'), 'utf8')).toContain(`](examples/${script})`);
});

for (const script of NOT_RUN) describeUnless('its program is missing', script, () => test('runs', () => {}));

test('reports everything as new at first, then as unchanged', async () => {
  expectPrinted(await syncAll(), [12, 0, 0, 12], [12, 0, 0, 12], [11, 0, 0, 11]);
  expectResponses('/products/changes 200', '/prices/changes 200', '/stock/changes 200');
  await expectInStep();
  expect(await syncAll()).toEqual(scripts.everyOne(UNCHANGED));
  expectResponses('/products/changes 304', '/prices/changes 304', '/stock/changes 304');
  await expectInStep();
}, 120_000);

test('applies changes despite a truncated delta, a used-up quota, an expired token and failures', async () => {
  await load({
    'products.csv': [
      ['SHARED', 'Seaman'],
      ['NEW "½" \\', 'Newcomer'],
      ['A-ONLY', 'Astronaut', ...Array<string>(21).fill(''), 'OBSOLETE'],
    ],
    'prices.csv': [['LIST-A', 'NEW "½" \\', '1.2500', '', '', 'true']],
    'stock.csv': [['WH-A', 'NEW "½" \\', '1']],
  });
  for (const name of NAMES) await expectNext(name, { complete: false });
  const results = await syncAll('cut', 'quota', 'expired', 'failure', 'busy');
  expectPrinted(results, [1, 1, 1, 12], [1, 0, 1, 12], [1, 0, 1, 11]);
  expectResponses(
    ...[200, 429, 401, 500, 503, 200].map((status) => `/products/changes ${status}`),
    '/prices/changes 200',
    '/stock/changes 200',
  );
  await expectInStep();
}, 120_000);

test('replaces everything if the response is complete', async () => {
  // The service does not know what other programs changed.
  await service.database.sql([
    `UPDATE products SET Status = 'OBSOLETE' WHERE SKU = 'SHARED'`,
    `UPDATE products SET Status = 'ACTIVE' WHERE SKU = 'A-ONLY'`,
  ]);
  for (const name of NAMES) await expectNext(name, { complete: true });
  expectPrinted(await syncAll(), [1, 0, 1, 12], [1, 0, 1, 12], [1, 0, 1, 11]);
  await expectInStep();
}, 120_000);

test('fetches everything but reports only changes if its tag is missing', async () => {
  for (const { state } of scripts.all) for (const name of NAMES) rmSync(join(state, `${name}.etag`));
  await load({ 'stock.csv': [['WH-A', 'A-ONLY', '12']] });
  expectPrinted(await syncAll(), [0, 0, 0, 12], [0, 0, 0, 12], [0, 1, 0, 11]);
  await expectInStep();
}, 120_000);

const whole = (status: number) => NAMES.flatMap((name) => [`/${name}/changes 404`, `/${name} ${status}`]);

test('fetches whole responses from an older release, which returns 404 for /changes', async () => {
  isOlderRelease(true);
  expectPrinted(await syncAll(), [0, 0, 0, 12], [0, 0, 0, 12], [0, 0, 0, 11]);
  expectResponses(...whole(200));
  expect(await syncAll()).toEqual(scripts.everyOne(UNCHANGED));
  expectResponses(...whole(304));
  await expectInStep();
  await load({
    'products.csv': [['SHARED', 'Seafarer', ...Array<string>(21).fill(''), 'ACTIVE']],
    'stock.csv': [['WH-A', 'A-ONLY', '13']],
  });
  const results = await syncAll('cut', 'quota', 'expired', 'failure', 'busy');
  expectPrinted(results, [1, 0, 0, 13], [1, 0, 0, 13], [1, 1, 0, 12]);
  await expectInStep();
}, 120_000);

test('uses /changes again after an update of the service', async () => {
  await load({ 'products.csv': [['SHARED', 'Skipper']] });
  await expectNext('products', { complete: false });
  expectPrinted(await syncAll(), [0, 1, 0, 13], [0, 0, 0, 13], [0, 0, 0, 12]);
  expectResponses('/products/changes 200', '/prices/changes 200', '/stock/changes 200');
  await expectInStep();
}, 120_000);

test('keeps a consistent state if it is killed at any moment', async () => {
  const stopped = new Map(scripts.all.map(({ script }) => [script, 0]));
  for (let events = 1; events <= 8; events++) {
    await load({
      'products.csv': [['SHARED', `Sailor ${events}`]],
      'prices.csv': [['LIST-A', 'SHARED', `20.${events}`, '', '', 'true']],
      'stock.csv': [['WH-A', 'SHARED', String(events)]],
    });
    await scripts.each(async (one) => {
      if (await one.killAfter(events, key)) stopped.set(one.script, stopped.get(one.script)! + 1);
    });
    await expectConsistent();
  }
  for (const [script, result] of Object.entries(await syncAll()))
    expect([script, result]).toEqual([script, expect.stringMatching(/^products: .*\nprices: .*\nstock: .*\n$/)]);
  await expectInStep();
  for (const [script, count] of stopped) expect({ script, isKilled: count > 3 }).toEqual({ script, isKilled: true });
}, 300_000);

test.each([false, true])(
  'retries a truncated response, wherever it ends and however the connection closes (older release: %s)',
  async (isOlder) => {
    isOlderRelease(isOlder);
    const perRun = printed([0, 0, 0, 13], [0, 0, 0, 13], [0, 0, 0, 12]);
    const ways = ['FIN', 'RST'].flatMap((end) => ['keep-alive', 'close'].map((how) => `${end}, Connection: ${how}`));
    const results = await scripts.each((one) => one.sync(key, { under: [process.execPath, CUT] }));
    expect(results).toEqual(scripts.everyOne(ways.map((way) => `${way}\n${perRun}`).join('')));
    await expectInStep();
  },
  300_000,
);

test('retries /changes until the response ends with {"End":true}', async () => {
  await load({ 'products.csv': [['SHARED', 'Seadog']], 'stock.csv': [['WH-A', 'SHARED', '30']] });
  await expectNext('products', { complete: false });
  const results = await syncAll('no lines', 'fewer lines', 'half a line');
  expectPrinted(results, [0, 1, 0, 13], [0, 0, 0, 13], [0, 1, 0, 12]);
  const again = Array<string>(4).fill('/products/changes 200');
  expectResponses(...again, '/prices/changes 200', '/stock/changes 200');
  await expectInStep();
}, 120_000);

test('fails and keeps its state if X-Last-SKU never names the last element', async () => {
  isOlderRelease(true);
  // Perl's HTTP::Tiny repeats the request after `cut` by itself.
  await expectFailed(key, 'no lines', 'fewer lines', 'half a line', 'no X-Last-SKU', 'cut', 'fewer lines', 'no lines');
}, 300_000);

test.each([false, true])(
  'accepts a response without elements (older release: %s)',
  async (isOlder) => {
    isOlderRelease(isOlder);
    const customer = NOTHING;
    const secret = await service.key(customer);
    const results = await scripts.each((one) => one.sync(secret, { customer, state: one.newState() }));
    expectPrinted(results, [0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]);
  },
  120_000,
);

test('every script fails and keeps its state if the key is wrong', () => expectFailed('wrong'), 120_000);

test(
  'every script fails and keeps its state if a proxy returns an HTML page',
  () => expectFailed(key, 'page'),
  120_000,
);
