import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, watch } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { deltaSince } from '../support/change-oracle.js';
import { type Fault, FaultyProxy } from '../support/faulty-proxy.js';
import { call } from '../support/http-call.js';
import { importFiles } from '../support/import-files.js';
import { A, smallCatalogue } from '../support/small-catalogue.js';
import { TestService } from '../support/test-service.js';

/** The installed programs that clients need. jest.config.mjs sets them. */
declare const PROGRAMS: string[];

const EXAMPLES = resolve(import.meta.dirname, '../../docs/integration/examples');
const CUT = resolve(EXAMPLES, '../cut.mjs');
const execute = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), 'customer-data-sync-'));

/** The program that runs each script, and the programs that it needs. */
const ALL = [
  { script: 'sync.sh', program: 'sh', needs: ['curl'] },
  { script: 'sync.mjs', program: process.execPath, needs: [] },
  { script: 'sync.py', program: 'python3', needs: ['python3'] },
  { script: 'Sync.java', program: 'java', needs: ['javac'] },
  { script: 'sync.php', program: 'php', needs: ['php-curl'] },
  { script: 'Sync.cs', program: 'mono', needs: ['mcs', 'mono'] },
];
const SCRIPTS = ALL.filter(({ needs }) => needs.every((name) => PROGRAMS.includes(name)));

test('the tests cover every example', () => {
  expect(readdirSync(EXAMPLES).toSorted()).toEqual(ALL.map(({ script }) => script).toSorted());
});

/** A customer's integration in one of the languages: the state of its script, and its own proxy. */
class Integration {
  readonly state = mkdtempSync(join(folder, 'state-'));

  private constructor(
    readonly script: string,
    private readonly command: readonly string[],
    readonly proxy: FaultyProxy,
  ) {}

  static async start({ script, program }: (typeof ALL)[number]): Promise<Integration> {
    const path = script === 'Sync.cs' ? join(folder, 'Sync.exe') : join(EXAMPLES, script);
    return new Integration(script, [program, path], await FaultyProxy.before(service.url));
  }

  /** @returns the output of the script, or its failure */
  sync(secret: string, ...faults: Fault[]): Promise<string> {
    return this.run(this.command, A, secret, faults);
  }

  /** Like `sync`, behind the proxy of docs/integration/cut.mjs. */
  syncTruncated(secret: string): Promise<string> {
    return this.run([process.execPath, CUT, ...this.command], A, secret);
  }

  /** Like `sync`, for another customer without stored state. */
  syncWithoutState(customer: string, secret: string): Promise<string> {
    return this.run(this.command, customer, secret, [], mkdtempSync(join(folder, 'state-')));
  }

  storedFile(name: string): string {
    return readFileSync(join(this.state, name), 'utf8');
  }

  /** Kills the script once its state folder has changed this many times. @returns whether it was still running */
  async killAfter(events: number, secret: string): Promise<boolean> {
    const [program, ...args] = this.command;
    const process = spawn(program!, args, { env: this.environment(A, secret, this.state), detached: true });
    let seen = 0;
    const watcher = watch(this.state, () => {
      if (++seen === events && process.exitCode === null) killGroup(process.pid!);
    });
    const [, signal] = await once(process, 'close');
    watcher.close();
    return signal === 'SIGKILL';
  }

  private environment(customer: string, secret: string, state: string): Record<string, string | undefined> {
    return {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      BASE_URL: this.proxy.url,
      CLIENT_ID: customer,
      CLIENT_SECRET: secret,
      STATE: state,
    };
  }

  private async run(
    [program, ...args]: readonly string[],
    customer: string,
    secret: string,
    faults: Fault[] = [],
    state = this.state,
  ): Promise<string> {
    this.proxy.faults = faults;
    this.proxy.responses.length = 0;
    const env = this.environment(customer, secret, state);
    const { stdout } = await execute(program!, args, { env }).catch(({ code, stdout: printed }) => ({
      stdout: `failed with ${code}, and printed ${printed || 'nothing'}`,
    }));
    return stdout.replaceAll('\r', '');
  }
}

/** Kills all processes of the group, because a shell starts further programs. */
function killGroup(leader: number): void {
  try {
    process.kill(-leader, 'SIGKILL');
  } catch {
    // The group has just ended.
  }
}

/** The last SKU of all responses, with characters that JSON escapes, URLs encode, or UTF-8 writes as several bytes. */
const LAST = 'Z "1/2" +50 %41 \\ ü€😀';
/** A customer whose responses are empty. */
const NOTHING = 'SHOP-NOTHING';

let service: TestService;
let key: string;
let integrations: Integration[];
beforeAll(async () => {
  service = await TestService.start();
  await service.database.load(smallCatalogue);
  await service.database.load(
    importFiles({
      'products.csv': [[LAST, 'Zebra']],
      'prices.csv': [['LIST-A', LAST, '1', '', '', 'true']],
      'stock.csv': [['WH-A', LAST, '1']],
      'customers.csv': [[NOTHING, 'Shop without a price list', '', '', '0']],
    }),
  );
  key = await service.key(A);
  integrations = await Promise.all(SCRIPTS.map((script) => Integration.start(script)));
  if (!PROGRAMS.includes('mcs')) return;
  await execute('mcs', [
    '-langversion:latest',
    '-r:System.Net.Http.dll',
    `-out:${join(folder, 'Sync.exe')}`,
    join(EXAMPLES, 'Sync.cs'),
  ]);
}, 60_000);
afterAll(async () => {
  for (const { proxy } of integrations) proxy.close();
  await service.close();
  rmSync(folder, { recursive: true });
});

/** Runs all scripts at once. @returns the output of each, by script */
async function each(run: (integration: Integration) => Promise<string>): Promise<Record<string, string>> {
  const printed = await Promise.all(integrations.map(async (one) => [one.script, await run(one)] as const));
  return Object.fromEntries(printed);
}

const all = (text: string) => Object.fromEntries(SCRIPTS.map(({ script }) => [script, text]));

const NAMES = ['products', 'prices', 'stock'] as const;
type Name = (typeof NAMES)[number];

const linesIn = (text: string) => text.split('\n').toSorted();

/** Expects each script to have exactly the data of the service, and a tag that names this state. */
async function expectInStep(): Promise<void> {
  const token = await service.token(A);
  for (const name of NAMES) {
    const headers = { Accept: 'application/x-ndjson' };
    const { body } = await call(service.url, { path: `/${name}`, token, headers });
    for (const integration of integrations) {
      expect([integration.script, linesIn(integration.storedFile(`${name}.ndjson`))]).toEqual([
        integration.script,
        linesIn(body),
      ]);
      expect([integration.script, await missing(integration, name)]).toEqual([integration.script, undefined]);
    }
  }
}

/** The changes since the stored state of an integration. @returns undefined if nothing has changed */
async function missing(integration: Integration, name: Name) {
  const etag = integration.storedFile(`${name}.etag`);
  expect([integration.script, etag]).toEqual([integration.script, expect.stringMatching(/^(W\/)?"[^"\n]+"$/)]);
  return deltaSince(service, `/${name}`, await service.token(A), etag);
}

/** Expects that the next response to each script is complete, or that it is a delta. */
async function expectNext(name: Name, { complete }: { complete: boolean }): Promise<void> {
  for (const integration of integrations)
    expect([integration.script, (await missing(integration, name))?.complete]).toEqual([integration.script, complete]);
}

/** Expects each script to have received these responses with data. */
function expectResponses(...expected: string[]): void {
  for (const { script, proxy } of integrations) expect([script, proxy.responses]).toEqual([script, expected]);
}

const FAILED = /^failed with [1-9]\d*, and printed nothing$/;
const FILES = NAMES.flatMap((name) => [`${name}.ndjson`, `${name}.etag`]);
const keptBy = (integration: Integration) => FILES.map((file) => integration.storedFile(file));

async function expectFailed(secret: string, ...faults: Fault[]): Promise<void> {
  const before = integrations.map(keptBy);
  for (const [script, printed] of Object.entries(await each((one) => one.sync(secret, ...faults))))
    expect([script, printed]).toEqual([script, expect.stringMatching(FAILED)]);
  expect(integrations.map(keptBy)).toEqual(before);
}

const isOlderRelease = (value: boolean) => {
  for (const { proxy } of integrations) proxy.isOlderRelease = value;
};
afterEach(() => isOlderRelease(false));

const load = (files: Parameters<typeof importFiles>[0]) => service.database.load(importFiles(files));
const UNCHANGED = 'products: unchanged\nprices: unchanged\nstock: unchanged\n';

test('reports everything as new at first, then as unchanged', async () => {
  const first = 'products: 4 new, 0 changed, 0 gone, 4 in all\nprices: 4 new, 0 changed, 0 gone, 4 in all\n';
  expect(await each((one) => one.sync(key))).toEqual(all(`${first}stock: 3 new, 0 changed, 0 gone, 3 in all\n`));
  expectResponses('/products/changes 200', '/prices/changes 200', '/stock/changes 200');
  await expectInStep();
  expect(await each((one) => one.sync(key))).toEqual(all(UNCHANGED));
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
  const expected = 'products: 1 new, 1 changed, 1 gone, 4 in all\nprices: 1 new, 0 changed, 1 gone, 4 in all\n';
  expect(await each((one) => one.sync(key, 'cut', 'quota', 'expired', 'failure', 'busy'))).toEqual(
    all(`${expected}stock: 1 new, 0 changed, 1 gone, 3 in all\n`),
  );
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
  const counts = '1 new, 0 changed, 1 gone';
  expect(await each((one) => one.sync(key))).toEqual(
    all(`products: ${counts}, 4 in all\nprices: ${counts}, 4 in all\nstock: ${counts}, 3 in all\n`),
  );
  await expectInStep();
}, 120_000);

test('fetches everything but reports only changes if its tag is missing', async () => {
  for (const { state } of integrations) for (const name of NAMES) rmSync(join(state, `${name}.etag`));
  await load({ 'stock.csv': [['WH-A', 'A-ONLY', '12']] });
  const expected = ['products: 0 new, 0 changed, 0 gone, 4 in all', 'prices: 0 new, 0 changed, 0 gone, 4 in all'];
  expect(await each((one) => one.sync(key))).toEqual(
    all(`${[...expected, 'stock: 0 new, 1 changed, 0 gone, 3 in all'].join('\n')}\n`),
  );
  await expectInStep();
}, 120_000);

test('fetches whole responses from an older release, which returns 404 for /changes', async () => {
  isOlderRelease(true);
  const whole = (status: number) => NAMES.flatMap((name) => [`/${name}/changes 404`, `/${name} ${status}`]);
  const none = NAMES.map((name) => `${name}: 0 new, 0 changed, 0 gone, ${name === 'stock' ? 3 : 4} in all\n`).join('');
  expect(await each((one) => one.sync(key))).toEqual(all(none));
  expectResponses(...whole(200));
  expect(await each((one) => one.sync(key))).toEqual(all(UNCHANGED));
  expectResponses(...whole(304));
  await expectInStep();
  await load({
    'products.csv': [['SHARED', 'Seafarer', ...Array<string>(21).fill(''), 'ACTIVE']],
    'stock.csv': [['WH-A', 'A-ONLY', '13']],
  });
  const expected = 'products: 1 new, 0 changed, 0 gone, 5 in all\nprices: 1 new, 0 changed, 0 gone, 5 in all\n';
  expect(await each((one) => one.sync(key, 'cut', 'quota', 'expired', 'failure', 'busy'))).toEqual(
    all(`${expected}stock: 1 new, 1 changed, 0 gone, 4 in all\n`),
  );
  await expectInStep();
}, 120_000);

test('uses /changes again after an update of the service', async () => {
  await load({ 'products.csv': [['SHARED', 'Skipper']] });
  await expectNext('products', { complete: false });
  const expected = 'products: 0 new, 1 changed, 0 gone, 5 in all\nprices: 0 new, 0 changed, 0 gone, 5 in all\n';
  expect(await each((one) => one.sync(key))).toEqual(all(`${expected}stock: 0 new, 0 changed, 0 gone, 4 in all\n`));
  expectResponses('/products/changes 200', '/prices/changes 200', '/stock/changes 200');
  await expectInStep();
}, 120_000);

test('keeps a consistent state if it is killed at any moment', async () => {
  const killed = new Map(integrations.map(({ script }) => [script, 0]));
  for (let events = 1; events <= 8; events++) {
    await load({
      'products.csv': [['SHARED', `Sailor ${events}`]],
      'prices.csv': [['LIST-A', 'SHARED', `20.${events}`, '', '', 'true']],
      'stock.csv': [['WH-A', 'SHARED', String(events)]],
    });
    await Promise.all(
      integrations.map(async (one) => {
        if (await one.killAfter(events, key)) killed.set(one.script, killed.get(one.script)! + 1);
      }),
    );
    for (const [script, printed] of Object.entries(await each((one) => one.sync(key))))
      expect([script, printed]).toEqual([script, expect.stringMatching(/^products: .*\nprices: .*\nstock: .*\n$/)]);
    await expectInStep();
  }
  for (const [script, count] of killed) expect({ script, isKilled: count > 3 }).toEqual({ script, isKilled: true });
}, 300_000);

test.each([false, true])(
  'retries a truncated response, wherever it ends and however the connection closes (older release: %s)',
  async (isOlder) => {
    isOlderRelease(isOlder);
    const perRun = NAMES.map((name) => `${name}: 0 new, 0 changed, 0 gone, ${name === 'stock' ? 4 : 5} in all\n`).join(
      '',
    );
    const ways = ['FIN', 'RST'].flatMap((end) => ['keep-alive', 'close'].map((how) => `${end}, Connection: ${how}`));
    expect(await each((one) => one.syncTruncated(key))).toEqual(all(ways.map((way) => `${way}\n${perRun}`).join('')));
    await expectInStep();
  },
  300_000,
);

test('retries /changes until the response ends with {"End":true}', async () => {
  await load({ 'products.csv': [['SHARED', 'Seadog']], 'stock.csv': [['WH-A', 'SHARED', '30']] });
  await expectNext('products', { complete: false });
  const expected = 'products: 0 new, 1 changed, 0 gone, 5 in all\nprices: 0 new, 0 changed, 0 gone, 5 in all\n';
  expect(await each((one) => one.sync(key, 'no lines', 'fewer lines', 'half a line'))).toEqual(
    all(`${expected}stock: 0 new, 1 changed, 0 gone, 4 in all\n`),
  );
  const again = Array<string>(4).fill('/products/changes 200');
  expectResponses(...again, '/prices/changes 200', '/stock/changes 200');
  await expectInStep();
}, 120_000);

test('fails and keeps its state if X-Last-SKU never names the last element', async () => {
  isOlderRelease(true);
  await expectFailed(key, 'no lines', 'fewer lines', 'half a line', 'no X-Last-SKU', 'cut', 'fewer lines');
}, 300_000);

test.each([false, true])(
  'accepts a response without elements (older release: %s)',
  async (isOlder) => {
    isOlderRelease(isOlder);
    const secret = await service.key(NOTHING);
    const expected = NAMES.map((name) => `${name}: 0 new, 0 changed, 0 gone, 0 in all\n`);
    expect(await each((one) => one.syncWithoutState(NOTHING, secret))).toEqual(all(expected.join('')));
  },
  120_000,
);

test('every script fails and keeps its state if the key is wrong', () => expectFailed('wrong'), 120_000);

test(
  'every script fails and keeps its state if a proxy returns an HTML page',
  () => expectFailed(key, 'page'),
  120_000,
);
