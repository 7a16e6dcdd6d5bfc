import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
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

  private async run(
    [program, ...args]: readonly string[],
    customer: string,
    secret: string,
    faults: Fault[] = [],
    state = this.state,
  ): Promise<string> {
    this.proxy.faults = faults;
    const env = {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      BASE_URL: this.proxy.url,
      CLIENT_ID: customer,
      CLIENT_SECRET: secret,
      STATE: state,
    };
    const { stdout } = await execute(program!, args, { env }).catch(({ code, stdout: printed }) => ({
      stdout: `failed with ${code}, and printed ${printed || 'nothing'}`,
    }));
    return stdout.replaceAll('\r', '');
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

/**
 * Expects each script to have exactly the data and the ETag of the service. The scripts can therefore use each other's
 * state.
 */
async function expectInStep(): Promise<void> {
  const token = await service.token(A);
  for (const name of ['products', 'prices', 'stock']) {
    const headers = { Accept: 'application/x-ndjson' };
    const { body } = await call(service.url, { path: `/${name}`, token, headers });
    for (const integration of integrations) {
      expect([integration.script, integration.storedFile(`${name}.ndjson`)]).toEqual([integration.script, body]);
      expect([integration.script, integration.storedFile(`${name}.etag`)]).toEqual([
        integration.script,
        expect.stringMatching(/^"[^"\n]+"$/),
      ]);
    }
  }
}

const FAILED = /^failed with [1-9]\d*, and printed nothing$/;

async function expectFailed(secret: string, ...faults: Fault[]): Promise<void> {
  for (const [script, printed] of Object.entries(await each((one) => one.sync(secret, ...faults))))
    expect([script, printed]).toEqual([script, expect.stringMatching(FAILED)]);
  await expectInStep();
}

test('every script reports everything as new at first, then as unchanged', async () => {
  const first = 'products: 4 new, 0 changed, 0 gone, 4 in all\nprices: 4 new, 0 changed, 0 gone, 4 in all\n';
  expect(await each((one) => one.sync(key))).toEqual(all(`${first}stock: 3 new, 0 changed, 0 gone, 3 in all\n`));
  await expectInStep();
  expect(await each((one) => one.sync(key))).toEqual(all('products: unchanged\nprices: unchanged\nstock: unchanged\n'));
  await expectInStep();
}, 120_000);

test('every script gets all changes despite truncation, an exceeded quota, an expired token and failures', async () => {
  await service.database.load({
    ...importFiles({
      'products.csv': [
        ['SHARED', 'Seaman'],
        ['NEW', 'Newcomer'],
      ],
      'prices.csv': [['LIST-A', 'NEW', '1.2500', '', '', 'true']],
      'stock.csv': [['WH-A', 'NEW', '1']],
    }),
  });
  await service.database.sql(`UPDATE products SET Status = 'OBSOLETE' WHERE SKU = 'A-ONLY'`);
  const expected = 'products: 1 new, 1 changed, 1 gone, 4 in all\nprices: 1 new, 0 changed, 1 gone, 4 in all\n';
  expect(await each((one) => one.sync(key, 'cut', 'quota', 'expired', 'failure', 'busy'))).toEqual(
    all(`${expected}stock: 1 new, 0 changed, 1 gone, 3 in all\n`),
  );
  await expectInStep();
}, 120_000);

test('every script retries a truncated response, wherever it ends and however the connection closes', async () => {
  const whole = ['products: 0 new, 0 changed, 0 gone, 4 in all', 'prices: 0 new, 0 changed, 0 gone, 4 in all'];
  const perRun = [...whole, 'stock: 0 new, 0 changed, 0 gone, 3 in all'].join('\n');
  const ways = ['FIN', 'RST'].flatMap((end) => ['keep-alive', 'close'].map((how) => `${end}, Connection: ${how}`));
  expect(await each((one) => one.syncTruncated(key))).toEqual(all(ways.map((way) => `${way}\n${perRun}\n`).join('')));
  await expectInStep();
}, 300_000);

test('every script fails and keeps its state if the last line is never the element that X-Last-SKU names', async () => {
  await expectFailed(key, 'no lines', 'fewer lines', 'half a line', 'no X-Last-SKU', 'cut', 'fewer lines');
}, 300_000);

test('every script accepts a response without elements, which has no X-Last-SKU', async () => {
  const secret = await service.key(NOTHING);
  const expected = ['products', 'prices', 'stock'].map((name) => `${name}: 0 new, 0 changed, 0 gone, 0 in all\n`);
  expect(await each((one) => one.syncWithoutState(NOTHING, secret))).toEqual(all(expected.join('')));
}, 120_000);

test('every script fails and keeps its state if the key is wrong', () => expectFailed('wrong'), 120_000);

test(
  'every script fails and keeps its state if a proxy returns an HTML page',
  () => expectFailed(key, 'page'),
  120_000,
);
