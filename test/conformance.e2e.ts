import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { placesOf } from '../conformance/clause.js';
import type { Target } from '../conformance/deployment.js';
import { ARRAYS, type Fields, PRICE, PRODUCT, STOCK } from '../conformance/documented-fields.js';
import { CLAUSES, type Result, runSuite } from '../conformance/suite.js';
import { type Spoil, SpoilingProxy } from './support/spoiling-proxy.js';
import { engine, TestService } from './support/test-service.js';

const ROOT = resolve(import.meta.dirname, '..');
const QUIET = { tell: () => {}, found: () => {} };

/** Of the interface; further ones are decisions that no client sees. */
const NOT_TESTABLE = [
  '§1 https',
  '§6 pull-only',
  '§3 other-statuses',
  '§4.1 exact',
  '§4.2 current',
  '§4.3 eligible',
  '§4 cut',
  '§9.6 additions',
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
  '§8.1 exact',
  '§7 quota',
  '§8.6 retry-after',
  '§8.4 apart',
  '§8.6 admitted',
];

let service: TestService;
let target: Target;
beforeAll(async () => {
  service = await TestService.start();
  await service.database.cliOk('import', join(ROOT, 'demo'));
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

const document = (name: string) => readFileSync(join(ROOT, 'docs', name), 'utf8');

const idsOf = (results: Result[], verdict: Result['verdict']) =>
  results.filter((result) => result.verdict === verdict).map(({ id }) => id);

describe('the list of clauses', () => {
  const places = new Set(CLAUSES.flatMap(placesOf));

  test('names each once', () => {
    expect(CLAUSES.map(({ id }) => id)).toEqual([...new Set(CLAUSES.map(({ id }) => id))]);
  });

  test('speaks for each section and each numbered rule of the interface', () => {
    const expected: string[] = [];
    let section = '';
    for (const [, heading, rule] of document('interface.md').matchAll(/^(?:###? (\d+(?:\.\d+)?)\.? |(\d+)\. )/gm)) {
      if (heading) section = heading;
      expected.push(`§${rule ? `${section}.${rule}` : section}`);
    }
    expect(expected.length).toBeGreaterThan(40);
    const spokenFor = (place: string) => [...places].some((own) => own === place || own.startsWith(`${place}.`));
    expect(expected.filter((place) => !spokenFor(place))).toEqual([]);
  });

  test('speaks for each decision', () => {
    const expected = [...document('decisions.md').matchAll(/^(\d+)\. /gm)].map(([, number]) => `decision ${number}`);
    expect(expected.length).toBeGreaterThan(85);
    expect(expected.filter((place) => !places.has(place))).toEqual([]);
  });

  test.each<[string, string, Fields]>([
    ['2.1', 'Product', PRODUCT],
    ['2.2', 'ProductImage', ARRAYS.ProductImages!],
    ['2.3', 'ProductAccessory', ARRAYS.ProductAccessories!],
    ['2.4', 'ProductSubstitution', ARRAYS.ProductSubstitutions!],
    ['2.5', 'ProductComposition', ARRAYS.ProductComposition!],
    ['2.6', 'ProductPrice', PRICE],
    ['2.7', 'StockEntry', STOCK],
  ])('has the fields of §%s: %s', (section, _name, fields) => {
    const text = document('interface.md')
      .split(`\n### ${section} `)[1]!
      .split('\n### ')[0]!
      .split('The nested arrays')[0]!;
    const rows = text.matchAll(
      /^\| `(\w+)` +\| (text|long text|decimal|integer|boolean|date)\b[ \d]*\|( (?:yes|no) )?/gm,
    );
    const documented = [...rows].map(([, name, type, nullable]) => [
      name,
      type!.replace(/.*text/, 'string'),
      nullable ? nullable === ' yes ' : name !== 'SKU',
    ]);
    expect(Object.entries(fields).map(([name, { type, nullable }]) => [name, type, nullable])).toEqual(documented);
  });
});

test('npm run conformance: everything that can be tested here passes, and its key is not told', async () => {
  const json = join(service.database.folder, 'conformance.json');
  const { code, output } = await command(target, '--json', json);
  const { results, requests } = JSON.parse(readFileSync(json, 'utf8')) as { results: Result[]; requests: number };
  expect(idsOf(results, 'FAIL')).toEqual([]);
  expect(idsOf(results, 'NOT TESTABLE').filter((id) => !id.startsWith('decision '))).toEqual(NOT_TESTABLE);
  expect(code).toBe(0);
  expect(output.trim().split('\n')).toHaveLength(CLAUSES.length + 1);
  expect(output).toContain(
    `0 failed, ${idsOf(results, 'NOT TESTABLE').length} not testable here. It took ${requests} r`,
  );
  expect(output + readFileSync(json, 'utf8')).not.toContain(target.customer.clientSecret);
});

const ONE_STOCK = '{"SKU":"ZZZ","StockLocation":"NL01","AvailableQTY":1,"NextAvailableETA":null}';

/** What goes wrong, where, and the clauses that have to fail by it. */
const SPOILT: [string, Spoil, string[]][] = [
  ['nothing', () => {}, []],
  [
    'a key in another case',
    body('/stock', /"SKU"/, '"sku"'),
    ['§2.7 stock-keys', '§2.7 stock-types', '§2.7 stock-order', '§2.7 has-product', '§2.9 data', '§5.4 own-data'],
  ],
  [
    'a missing field',
    body('/products', /"Photo":("[^"]*"|null),/, ''),
    ['§2.1 products-keys', '§2.1 products-types', '§2.9 data'],
  ],
  [
    'null where none may be',
    body('/prices', /"CurrencyCode":"EUR"/, '"CurrencyCode":null'),
    ['§2.6 prices-types', '§2.6 currency', '§2.6 same-prices'],
  ],
  [
    'a price of three decimals',
    body('/prices', /("PriceExclVAT":\d+\.\d{3})\d/, '$1'),
    ['§2.6 four-decimals', '§2.6 same-prices'],
  ],
  ['a trailing zero', body('/stock', /("AvailableQTY":\d+)/, '$1.0'), ['§2 numbers']],
  ['an exponent', body('/products', /("CartonQty":)\d+/, '$11e1'), ['§2 numbers', '§2 number-sizes']],
  ['a number as text', body('/stock', /"AvailableQTY":(\d+)/, '"AvailableQTY":"$1"'), ['§2.7 stock-types']],
  ['a time for a day', body('/stock', /("NextAvailableETA":"[-\d]+)"/, '$1T00:00:00Z"'), ['§2.7 stock-types']],
  ['a negative quantity', body('/stock', /"AvailableQTY":\d+/, '"AvailableQTY":-5'), ['§2.7 not-negative']],
  ['another order', body('/stock', /^\[(\{.*?\}),(\{.*?\})/, '[$2,$1'), ['§2.7 stock-order']],
  ['stock of no product', body('/stock', /\]$/, `,${ONE_STOCK}]`), ['§2.7 has-product', '§5.4 own-data']],
  [
    'a price of another list',
    body('/prices', /"PriceListCode":"[^"]*"/, '"PriceListCode":"OTHER"'),
    ['§2.6 one-list', '§2.6 same-prices', '§5.4 own-data'],
  ],
  ['another price', body('/prices', /"PriceExclVAT":/, '"PriceExclVAT":1'), ['§2.6 same-prices']],
  ['an obsolete product', body('/products', /"Status":"ACTIVE"/, '"Status":"OBSOLETE"'), ['§3 not-obsolete']],
  [
    'a body cut short',
    body('/prices', /\}\]$/, ''),
    [
      '§2.6 prices-keys',
      '§2.6 prices-types',
      '§2.6 prices-sizes',
      '§2.6 prices-order',
      '§2.6 one-list',
      '§2.6 currency',
      '§2.6 not-told',
      '§2.6 same-prices',
      '§4.4 complete',
      '§2.9 data',
      '§5.4 own-data',
    ],
  ],
  ['another type in a schema', body('/stock/schema', '"decimal"', '"string"'), ['§2.9 stock-fields']],
  ['no wireName', body('/prices/schema', ',"wireName":"MOQ"', ''), ['§2.9 prices-fields', '§2.9 entries', '§2.9 data']],
  ['another profile', body('/api/version', '2026-04', '2026-05'), ['§9.2 repeated', '§9.1 profile']],
  ['another word for health', body('/health', 'Healthy', 'OK'), ['§4 health']],
  ['a secret reason', body('/auth/token', 'Invalid client credentials.', 'Unknown customer.'), ['§5.8 not-told']],
  ['another lifetime', body('/auth/token', '3600', '7200'), ['§5.3 lifetime']],
  [
    'no ETag',
    header('/prices', 'etag', undefined),
    ['decision 71 strong', 'decision 72 unchanged', 'decision 72 changed'],
  ],
  ['a weak ETag', header('/stock/schema', 'etag', 'W/"1"'), ['decision 71 strong', 'decision 72 unchanged']],
  ['no Vary with 304', header('/products', 'vary', undefined, 304), ['decision 72 unchanged']],
  ['no charset', header('/stock', 'content-type', 'application/json'), ['§4 json', '§7 shape']],
  ['no X-Request-Id', header('/nowhere', 'x-request-id', undefined), ['§4 request-id']],
  ['no WWW-Authenticate', header('/products', 'www-authenticate', undefined), ['§5.6 missing']],
  ['a token that may be kept', header('/auth/token', 'cache-control', undefined, 200), ['§5.1 not-kept']],
  ['no X-Rate-Limit-Remaining', header('/HEALTH', 'x-rate-limit-remaining', undefined), ['§8.6 headers']],
  ['a reset in seconds', header('/products/schema', 'x-rate-limit-reset', '1764340316'), ['§8.6 headers']],
  ['CORS', header('/api/version', 'access-control-allow-origin', '*'), ['§1 no-cors']],
  ['no Allow', header('/products', 'allow', undefined), ['§4 options']],
  ['an open endpoint', status('/prices/schema', 401, 200), ['§5.5 protected']],
  ['400 for an unknown path', status('/nowhere', 404, 400), ['§7 unknown-path', '§7 unknown-path-anonymous']],
  ['200 for who has it', status('/stock', 304, 200), ['decision 72 unchanged', 'decision 72 lists']],
  ['200 for OPTIONS', status('/products', 405, 200), ['§1 read-only', '§4 options']],
  ['requests that count twice', countTwice, ['§8.2 once', '§8.3 one-bucket', '§8.4 proven', '§8.4 own-quota']],
  ['the stock of one for everybody', sharedStock(), ['§5.4 own-data']],
];

if (engine === 'sqlite') {
  describe('what is spoilt fails its clauses, and no others', () => {
    let proxy: SpoilingProxy;
    beforeAll(async () => void (proxy = await SpoilingProxy.before(service.url)));
    afterAll(() => proxy.close());

    test.each(SPOILT)('%s', async (_name, spoil, expected) => {
      proxy.spoil = spoil;
      const { results } = await runSuite({ ...target, url: new URL(proxy.url) }, QUIET);
      expect(idsOf(results, 'FAIL')).toEqual(expected);
    });
  });
}

/** Changes a body, whatever the parameters. */
function body(path: string, from: string | RegExp, to: string): Spoil {
  return (answer, request) => {
    if (request.path.split('?')[0] === path) answer.body = answer.body.replace(from, to);
  };
}

/** Sets or removes a header, of all answers or of those with a status. */
function header(path: string, name: string, to: string | undefined, of?: number): Spoil {
  return (answer, request) => {
    if (request.path !== path || (of && answer.status !== of)) return;
    if (to === undefined) delete answer.headers[name];
    else answer.headers[name] = to;
  };
}

function status(path: string, from: number, to: number): Spoil {
  return (answer, request) => {
    if (request.path === path && answer.status === from) answer.status = to;
  };
}

const countTwice: Spoil = ({ headers }) => {
  const name = 'x-rate-limit-remaining';
  if (headers[name]) headers[name] = String(Number(headers[name]) * 2);
};

/** As a cache would that knows of no customers. */
function sharedStock(): Spoil {
  let first: string | undefined;
  return (answer, { path }) => {
    if (path === '/stock' && answer.body.startsWith('[')) answer.body = first ??= answer.body;
  };
}

/** The command as people call it, with its secrets in the environment. */
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
