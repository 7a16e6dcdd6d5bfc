import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { describeUnless } from '../support/describe-with.js';
import { call } from '../support/http-call.js';
import { importFiles } from '../support/import-files.js';
import { TestService } from '../support/test-service.js';

/** The installed programs that clients need. jest.config.mjs sets them. */
declare const PROGRAMS: string[];

const ROOT = resolve(import.meta.dirname, '../..');
const PAGE = readFileSync(join(ROOT, 'docs/integration/oauth.md'), 'utf8');
/** The headings with an example, and the example. */
const EXAMPLES = [...PAGE.matchAll(/^## (.+)\n(?:(?!^## )[^])*?^```(?:js|python|ruby|go)\n([^]*?)^```$/gm)];

const PROGRAM: Record<string, { command: string[]; file: string; needs?: string }> = {
  'Node: openid-client': { command: [process.execPath], file: 'client.mjs' },
  'Node: oauth4webapi': { command: [process.execPath], file: 'client.mjs' },
  'Node: simple-oauth2': { command: [process.execPath], file: 'client.mjs' },
  // Debian installs the packages for its own Python and its own Ruby.
  'Python: requests-oauthlib': { command: ['/usr/bin/python3'], file: 'client.py', needs: 'python3-requests-oauthlib' },
  'Python: Authlib': { command: ['/usr/bin/python3'], file: 'client.py', needs: 'python3-authlib' },
  'Ruby: oauth2': { command: ['/usr/bin/ruby'], file: 'client.rb', needs: 'ruby-oauth2' },
  'Go: golang.org/x/oauth2': { command: ['go', 'run'], file: 'client.go', needs: 'golang-x-oauth2' },
};

const CODE = 'OAUTH.A-B_1';

let service: TestService;
let key: string;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'customer-data-oauth-'));
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  service = await TestService.start();
  await service.database.load(
    importFiles({
      'price_lists.csv': [['L', 'List', 'EUR']],
      'warehouses.csv': [['W', 'Warehouse']],
      'customers.csv': [[CODE, '', 'L', 'W', '0', '1000', '1000']],
    }),
  );
  key = await service.key(CODE);
});
afterAll(async () => {
  await service.close();
  rmSync(folder, { recursive: true });
});

function run(title: string, example: string, secret: string) {
  const { command, file } = PROGRAM[title]!;
  writeFileSync(join(folder, file), example);
  const go = { GO111MODULE: 'off', GOPATH: '/usr/share/gocode', GOFLAGS: '' };
  const credentials = { BASE_URL: service.url, CLIENT_ID: CODE, CLIENT_SECRET: secret };
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, ...go, ...credentials };
  return promisify(execFile)(command[0]!, [...command.slice(1), file], { cwd: folder, env });
}

test('the page has an example of each library that runs here', () => {
  expect(EXAMPLES.map(([, title]) => title)).toEqual(Object.keys(PROGRAM));
});

test.each(['openid-client', 'oauth4webapi', 'simple-oauth2'])('the page names the installed version of %s', (name) => {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'node_modules', name, 'package.json'), 'utf8'));
  const [, stated] = new RegExp(`^\\| Node +\\| ${name} +\\| ([\\d.]+) `, 'm').exec(PAGE)!;
  expect(`${version}.`).toMatch(new RegExp(`^${stated}\\.`));
});

for (const [, title, example] of EXAMPLES) {
  const { needs } = PROGRAM[title!] ?? {};
  const isMissing = needs !== undefined && !PROGRAMS.includes(needs);
  describeUnless(isMissing && `${needs} is missing`, title!, () => {
    test('prints a token that the service accepts', async () => {
      const token = (await run(title!, example!, key)).stdout.trim();
      expect((await call(service.url, { path: '/stock', token })).status).toBe(200);
    }, 120_000);

    test('reports invalid_client for a wrong key', async () => {
      await expect(run(title!, example!, 'wrong')).rejects.toThrow(/invalid_client/);
    }, 120_000);
  });
}
