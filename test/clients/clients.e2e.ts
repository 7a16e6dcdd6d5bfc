import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { importFiles } from '../support/import-files.js';
import { TestService } from '../support/test-service.js';

/** The installed programs that clients need. jest.config.mjs sets them. */
declare const PROGRAMS: string[];

const NODE = process.execPath;
const CLIENTS = [
  { name: 'curl', program: 'sh', script: 'curl.sh', needs: 'curl' },
  { name: 'Java', program: 'java', script: 'JavaClient.java', needs: 'javac' },
  { name: 'Python, urllib', program: 'python3', script: 'urllib_client.py', needs: 'python3' },
  { name: 'Python, requests', program: 'python3', script: 'requests_client.py', needs: 'python3-requests' },
  { name: 'oauth4webapi', program: NODE, script: 'oauth4webapi.mjs' },
  { name: 'openid-client', program: NODE, script: 'openid-client.mjs' },
  { name: 'simple-oauth2', program: NODE, script: 'simple-oauth2.mjs' },
].filter(({ needs }) => !needs || PROGRAMS.includes(needs));

const PER_MINUTE = 12;
/** The second SKU has characters that URLs encode and characters of several bytes in UTF-8. */
const SKUS = ['A', 'B ü/+%41 €😀'];
const codeOf = (index: number) => `CLIENT-${index}`;

let service: TestService;
beforeAll(async () => {
  service = await TestService.start();
  const customers = CLIENTS.map((_, index) => [codeOf(index), '', 'L', 'W', '0', `${PER_MINUTE}`, '1000']);
  await service.database.load(
    importFiles({
      'price_lists.csv': [['L', 'List', 'EUR']],
      'warehouses.csv': [['W', 'Warehouse']],
      'products.csv': SKUS.map((sku) => [sku]),
      'prices.csv': SKUS.map((sku) => ['L', sku, '10.5', '', '', 'yes']),
      'stock.csv': SKUS.map((sku) => ['W', sku, '5']),
      'customers.csv': customers,
    }),
  );
});
afterAll(async () => {
  await service.close();
});

test.each(CLIENTS.map((client, index) => ({ ...client, index })))(
  'the $name client handles both token requests, a wrong secret, X-Last-SKU, 304, gzip and 429 (interface §5, §8; decisions 18, 72, 73, 114)',
  async ({ program, script, index }) => {
    const env = {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      BASE: service.url,
      CLIENT_ID: codeOf(index),
      CLIENT_SECRET: await service.key(codeOf(index)),
    };
    const { stdout } = await promisify(execFile)(program, [join(import.meta.dirname, script)], { env });
    expect(JSON.parse(stdout)).toEqual({
      types: ['bearer', 'bearer'],
      expires: [3600, 3600],
      wrong: ['invalid_client', 'invalid_client'],
      skus: SKUS,
      complete: true,
      again: 304,
      gzip: ['gzip', true],
      quota: [429, true, `API calls quota exceeded! maximum admitted ${PER_MINUTE} per 1m.`],
    });
  },
);
