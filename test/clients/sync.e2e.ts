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

/** What is here of what clients run on; jest.config.mjs found it. */
declare const PROGRAMS: string[];

const EXAMPLES = resolve(import.meta.dirname, '../../docs/integration/examples');
const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), 'customer-data-sync-'));

/** The program that runs each script, and what it takes to have that. */
const ALL = [
  { script: 'sync.sh', program: 'sh', needs: ['curl'] },
  { script: 'sync.mjs', program: process.execPath, needs: [] },
  { script: 'sync.py', program: 'python3', needs: ['python3'] },
  { script: 'Sync.java', program: 'java', needs: ['javac'] },
  { script: 'sync.php', program: 'php', needs: ['php-curl'] },
  { script: 'Sync.cs', program: 'mono', needs: ['mcs', 'mono'] },
];
const SCRIPTS = ALL.filter(({ needs }) => needs.every((name) => PROGRAMS.includes(name)));

test('every example is known here', () => {
  expect(readdirSync(EXAMPLES).toSorted()).toEqual(ALL.map(({ script }) => script).toSorted());
});

/** Somebody's integration in one of the languages: what its script keeps, behind a proxy of its own. */
class Integration {
  readonly state = mkdtempSync(join(folder, 'state-'));
  readonly proxy = new FaultyProxy(service.url);

  constructor(
    readonly script: string,
    private readonly program: string,
  ) {}

  /** @returns what the script said, or how it failed */
  async sync(secret: string, ...faults: Fault[]): Promise<string> {
    // Mono, which is here for want of .NET, takes an answer that was cut for whole.
    this.proxy.faults = faults.filter((fault) => fault !== 'cut' || this.program !== 'mono');
    const path = this.script === 'Sync.cs' ? join(folder, 'Sync.exe') : join(EXAMPLES, this.script);
    const env = {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      BASE_URL: this.proxy.url,
      CLIENT_ID: A,
      CLIENT_SECRET: secret,
      STATE: this.state,
    };
    const { stdout } = await run(this.program, [path], { env }).catch(({ code, stdout: said }) => ({
      stdout: `failed with ${code}, and said ${said || 'nothing'}`,
    }));
    return stdout.replaceAll('\r', '');
  }

  kept(name: string): string {
    return readFileSync(join(this.state, name), 'utf8');
  }
}

let service: TestService;
let key: string;
let integrations: Integration[];
beforeAll(async () => {
  service = await TestService.start();
  await service.database.load(smallCatalogue);
  key = await service.key(A);
  integrations = SCRIPTS.map(({ script, program }) => new Integration(script, program));
  if (!PROGRAMS.includes('mcs')) return;
  await run('mcs', [
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

/** Has all of them run at once. @returns what each says, by its script */
async function eachSays(secret: string, ...faults: Fault[]): Promise<Record<string, string>> {
  const said = await Promise.all(
    integrations.map(async (one) => [one.script, await one.sync(secret, ...faults)] as const),
  );
  return Object.fromEntries(said);
}

const all = (text: string) => Object.fromEntries(SCRIPTS.map(({ script }) => [script, text]));

/** Each has what the service answers now, and the tag of it, both to the byte: the state of one suits any other. */
async function expectInStep(): Promise<void> {
  const token = await service.token(A);
  for (const name of ['products', 'prices', 'stock']) {
    const headers = { Accept: 'application/x-ndjson' };
    const { body } = await call(service.url, { path: `/${name}`, token, headers });
    for (const integration of integrations) {
      expect([integration.script, integration.kept(`${name}.ndjson`)]).toEqual([integration.script, body]);
      expect([integration.script, integration.kept(`${name}.etag`)]).toEqual([
        integration.script,
        expect.stringMatching(/^"[^"\n]+"$/),
      ]);
    }
  }
}

test('at first everything is new; then nothing has changed', async () => {
  const first = 'products: 3 new, 0 changed, 0 gone, 3 in all\nprices: 3 new, 0 changed, 0 gone, 3 in all\n';
  expect(await eachSays(key)).toEqual(all(`${first}stock: 2 new, 0 changed, 0 gone, 2 in all\n`));
  await expectInStep();
  expect(await eachSays(key)).toEqual(all('products: unchanged\nprices: unchanged\nstock: unchanged\n'));
  await expectInStep();
}, 120_000);

test('changes arrive, whatever goes wrong meanwhile', async () => {
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
  const expected = 'products: 1 new, 1 changed, 1 gone, 3 in all\nprices: 1 new, 0 changed, 1 gone, 3 in all\n';
  expect(await eachSays(key, 'cut', 'quota', 'expired', 'failure', 'busy')).toEqual(
    all(`${expected}stock: 1 new, 0 changed, 1 gone, 2 in all\n`),
  );
  await expectInStep();
}, 120_000);

test.each<[string, ...Fault[]]>([['a wrong key'], ['an answer that is none', 'page']])(
  'with %s it fails, and keeps what it has',
  async (what, ...faults) => {
    const said = await eachSays(what === 'a wrong key' ? 'wrong' : key, ...faults);
    for (const [script, text] of Object.entries(said))
      expect([script, text]).toEqual([script, expect.stringMatching(/^failed with [1-9]\d*, and said nothing$/)]);
    await expectInStep();
  },
  120_000,
);
