import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Target } from '../conformance/deployment.js';
import { OPERATION } from '../conformance/clauses/operation.js';
import { CLAUSES, type Result, runSuite } from '../conformance/suite.js';
import { SpoilingProxy } from './support/spoiling-proxy.js';
import { DAMAGED } from './support/damaged-responses.js';
import { engine, TestService } from './support/test-service.js';

const ROOT = resolve(import.meta.dirname, '..');
const QUIET = { log: () => {}, onResult: () => {} };

/** Clauses that this run cannot test, and decisions that a client cannot observe. */
const NOT_TESTABLE = [
  '§1 https',
  '§6 pull-only',
  '§3 other-statuses',
  'decision 4',
  'decision 9',
  'decision 10',
  'decision 41 one-moment',
  'decision 110',
  'decision 113',
  '§4.1 exact',
  '§4.2 current',
  '§4.3 eligible',
  '§4 cut',
  '§9.6 additions',
  'decision 71 replicas',
  'decision 179 deltas',
  'decision 180',
  'decision 181',
  'decision 182',
  '§5.4 terms',
  '§5.6 expired',
  '§5.8 time',
  '§5.8 inactive',
  '§5.8 server-error',
  '§7 slow',
  '§7 customer-gone',
  '§7 unexpected',
  '§7 unhealthy',
  '§8.5 own-limits',
  '§8.7 advice',
  '§8.9 no-redis',
  '§10.4 cut',
  '§8.1 exact',
  '§7 quota',
  '§8.6 retry-after',
  '§8.4 apart',
  '§8.6 admitted',
  ...OPERATION.map(({ id }) => id),
];

let service: TestService;
let target: Target;
beforeAll(async () => {
  service = await TestService.start();
  await service.database.cliOk('import', join(ROOT, 'demo'));
  // Adds a text that starts like a formula, because the demo has none.
  await service.database.sql(`UPDATE products SET Name = '=1+1' WHERE SKU = 'ACC-9001'`);
  const credentials = async (clientId: string) => ({ clientId, clientSecret: await service.key(clientId) });
  target = {
    url: new URL(service.url),
    managementUrl: new URL(service.managementUrl),
    customer: await credentials('DEMO-SHOP'),
    other: await credentials('DEMO-UK'),
    share: 1,
    useUpQuota: false,
  };
});
afterAll(() => service.close());

const idsOf = (results: Result[], verdict: Result['verdict']) =>
  results.filter((result) => result.verdict === verdict).map(({ id }) => id);

test('npm run conformance passes every testable clause and does not print the API key', async () => {
  const json = join(service.database.folder, 'conformance.json');
  const { code, output } = await command(target, '--json', json);
  const { results, requests } = JSON.parse(readFileSync(json, 'utf8')) as { results: Result[]; requests: number };
  expect(idsOf(results, 'FAIL')).toEqual([]);
  expect(idsOf(results, 'NOT TESTABLE')).toEqual(NOT_TESTABLE);
  expect(code).toBe(0);
  expect(output.trim().split('\n')).toHaveLength(CLAUSES.length + 1);
  expect(output).toContain(
    `0 failed, ${idsOf(results, 'NOT TESTABLE').length} not testable here. It took ${requests} r`,
  );
  expect(output + readFileSync(json, 'utf8')).not.toContain(target.customer.clientSecret);
});

test.each<[string, (whole: Target) => Target, RegExp]>([
  [
    'wrong credentials',
    (whole) => ({ ...whole, customer: { clientId: 'DEMO-SHOP', clientSecret: 'x' } }),
    /No token.*401/,
  ],
  ['no service at the URL', (whole) => ({ ...whole, url: new URL('http://127.0.0.1:1') }), /ECONNREFUSED/],
  ['an ftp URL', (whole) => ({ ...whole, url: new URL('ftp://127.0.0.1') }), /not an http or https URL/],
])('npm run conformance exits with 2 for %s', async (_name, change, problem) => {
  const { code, output } = await command(change(target));
  expect(code).toBe(2);
  expect(output).toMatch(problem);
});

if (engine === 'sqlite') {
  // Ten damaged responses cover every kind of clause. Testing all of them would take half as long as `npm test`.
  const step = process.env.NIGHTLY === '1' ? 1 : Math.ceil(DAMAGED.length / 10);
  const samples = DAMAGED.filter((_, index) => index % step === 0);

  describe('the suite behind a proxy that damages a response', () => {
    let proxy: SpoilingProxy;
    beforeAll(async () => void (proxy = await SpoilingProxy.before(service.url)));
    afterAll(() => proxy.close());

    test.each(samples)('fails exactly the clauses of: %s', async (_name, spoil, expected) => {
      proxy.spoil = spoil;
      const { results } = await runSuite({ ...target, url: new URL(proxy.url) }, QUIET);
      expect(idsOf(results, 'FAIL')).toEqual(expected);
      const printed = JSON.stringify(results);
      expect([printed.includes(target.customer.clientSecret), /eyJ\w/.test(printed)]).toEqual([false, false]);
    });

    test('exits with 1', async () => {
      proxy.spoil = (response) => void (response.body = response.body.replace('Healthy', 'OK'));
      const { code, output } = await command({ ...target, url: new URL(proxy.url) });
      expect(code).toBe(1);
      expect(output).toMatch(/^FAIL +§4 health: .* — expected body "Healthy", received "OK"$/m);
    });
  });
}

/** Runs the command as a user does, with the secrets in the environment. */
function command({ url, managementUrl, customer, other }: Target, ...options: string[]) {
  const env = {
    PATH: process.env.PATH,
    BASE_URL: url.href,
    MANAGEMENT_URL: managementUrl?.href,
    CLIENT_ID: customer.clientId,
    CLIENT_SECRET: customer.clientSecret,
    OTHER_CLIENT_ID: other?.clientId,
    OTHER_CLIENT_SECRET: other?.clientSecret,
  };
  return new Promise<{ code: number; output: string }>((done) => {
    const args = ['run', '-s', 'conformance', '--', '--share', '1', ...options];
    execFile('npm', args, { cwd: ROOT, env }, (error, stdout, stderr) =>
      done({ code: Number(error?.code ?? 0), output: stdout + stderr }),
    );
  });
}
