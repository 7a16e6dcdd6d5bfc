import type { Spoil, Spoilable } from './spoiling-proxy.js';

/** Each fault, the change that causes it, and the clauses that must fail. */
export const DAMAGED: [string, Spoil, string[]][] = [
  ['nothing', () => {}, []],
  [
    'a key in another case',
    body('/stock', /"SKU"/, '"sku"'),
    [
      '§2.7 stock-keys',
      '§2.7 stock-types',
      '§2.7 stock-order',
      '§2.7 has-product',
      '§2.9 data',
      'decision 179 complete',
      '§10.2 lines',
      '§5.4 own-data',
    ],
  ],
  [
    'a missing field',
    body('/products', /"Photo":("[^"]*"|null),/, ''),
    ['§2.1 products-keys', '§2.1 products-types', '§2.9 data', 'decision 179 complete', '§10.2 lines'],
  ],
  [
    'null in a required field',
    body('/prices', /"CurrencyCode":"EUR"/, '"CurrencyCode":null'),
    ['§2.6 prices-types', '§2.6 currency', '§2.6 same-prices', 'decision 179 complete', '§10.2 lines'],
  ],
  [
    'a price of three decimals',
    body('/prices', /("PriceExclVAT":\d+\.\d{3})\d/, '$1'),
    ['§2.6 four-decimals', '§2.6 same-prices', 'decision 179 complete', '§10.2 lines'],
  ],
  [
    'a trailing zero',
    body('/stock', /("AvailableQTY":\d+)/, '$1.0'),
    ['§2 numbers', 'decision 179 complete', '§10.2 lines'],
  ],
  [
    'an exponent',
    body('/products', /("CartonQty":)\d+/, '$11e1'),
    ['§2 numbers', '§2 number-sizes', 'decision 179 complete', '§10.2 lines'],
  ],
  [
    'a number as text',
    body('/stock', /"AvailableQTY":(\d+)/, '"AvailableQTY":"$1"'),
    ['§2.7 stock-types', 'decision 179 complete', '§10.2 lines'],
  ],
  [
    'a time instead of a date',
    body('/stock', /("NextAvailableETA":"[-\d]+)"/, '$1T00:00:00Z"'),
    ['§2.7 stock-types', 'decision 179 complete', '§10.2 lines'],
  ],
  [
    'a negative quantity',
    body('/stock', /"AvailableQTY":\d+/, '"AvailableQTY":-5'),
    ['§2.7 not-negative', 'decision 179 complete', '§10.2 lines'],
  ],
  [
    'another order',
    body('/stock', /^\[(\{.*?\}),(\{.*?\})/, '[$2,$1'),
    ['§2.7 stock-order', 'decision 179 complete', '§10.2 lines'],
  ],
  [
    'stock of no product',
    body('/stock', /(?<=(\{"SKU":)"[^"]*"([^}]*\}))\]$/, ',$1"ZZZ"$2]'),
    ['§2.7 has-product', '§4 last-sku', 'decision 179 complete', '§10.2 lines', '§5.4 own-data'],
  ],
  [
    'a price of another list',
    body('/prices', /"PriceListCode":"[^"]*"/, '"PriceListCode":"OTHER"'),
    ['§2.6 one-list', '§2.6 same-prices', 'decision 179 complete', '§10.2 lines', '§5.4 own-data'],
  ],
  [
    'another price',
    body('/prices', /"PriceExclVAT":/, '"PriceExclVAT":1'),
    ['§2.6 same-prices', 'decision 179 complete', '§10.2 lines'],
  ],
  [
    'an obsolete product',
    body('/products', /"Status":"ACTIVE"/, '"Status":"OBSOLETE"'),
    ['§3 not-obsolete', 'decision 179 complete', '§10.2 lines'],
  ],
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
      '§4 last-sku',
      '§2.9 data',
      'decision 179 complete',
      '§10.2 lines',
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
    [
      'decision 71 strong',
      'decision 72 unchanged',
      'decision 201',
      'decision 72 changed',
      'decision 179 unchanged',
      'decision 179 unknown',
    ],
  ],
  [
    'a weak ETag',
    header('/stock/schema', 'etag', 'W/"1"'),
    ['decision 71 strong', 'decision 72 unchanged', 'decision 201', 'decision 89'],
  ],
  ['another last SKU', header('/prices', 'x-last-sku', 'ACC-9001'), ['§4 last-sku']],
  ['no last SKU', header('/stock', 'x-last-sku', undefined), ['§4 last-sku']],
  ['a time without a zone', header('/prices', 'x-data-changed', '2026-11-29T06:15:02.417'), ['§4 data-changed']],
  ['no Vary with 304', header('/products', 'vary', undefined, 304), ['decision 72 unchanged']],
  ['no charset', header('/prices', 'content-type', 'application/json'), ['§4 json']],
  ['no X-Request-Id', header('/nowhere', 'x-request-id', undefined), ['§4 request-id']],
  ['no X-Request-Id with a token', header('/auth/token', 'x-request-id', undefined), ['§4 request-id']],
  ['another kind of token', body('/auth/token', 'Bearer', 'MAC'), ['§2.8 token']],
  ['no WWW-Authenticate', header('/products', 'www-authenticate', undefined), ['§5.6 missing']],
  ['a token that may be cached', header('/auth/token', 'cache-control', undefined, 200), ['§5.1 not-kept']],
  ['no X-Rate-Limit-Remaining', header('/HEALTH', 'x-rate-limit-remaining', undefined), ['§8.6 headers']],
  ['a reset in seconds', header('/products/schema', 'x-rate-limit-reset', '1764340316'), ['§8.6 headers']],
  ['CORS', header('/api/version', 'access-control-allow-origin', '*'), ['§1 no-cors']],
  ['no Allow', header('/products', 'allow', undefined), ['§4 options']],
  ['a formula', body('/products', "'=1+1", '=1+1', 'text/csv'), ['§10.3.6 formulas']],
  ['a column with another name', body('/stock', 'SKU', 'sku', 'text/csv'), ['§10.3.1 columns', '§10.3.2 variants']],
  ['another number in CSV', body('/prices', /(\.\d{3})\d/, '$1', 'text/csv'), ['§10.3.3 values']],
  [
    'a decimal point beside decimal commas',
    body('/prices', /,(\d{4};)/, '.$1', 'text/csv;decimal=comma'),
    ['decision 200 decimal'],
  ],
  ['null as text', body('/stock', ',\r\n', ',null\r\n', 'text/csv'), ['§10.3.2 variants', '§10.3.4 empty']],
  ['no mark', body('/stock', '\uFEFF', '', 'text/csv;bom=1'), ['§10.3.2 variants']],
  [
    'a line without its line break',
    body('/prices', /\n$/, '', 'application/x-ndjson'),
    [
      '§10.2 lines',
      '§10.3 csv',
      '§10.3.1 columns',
      'decision 200 decimal',
      '§10.3.3 values',
      '§10.3.4 empty',
      '§10.3.5 arrays',
      '§10.3.6 formulas',
    ],
  ],
  ['200 for a format that does not exist', status('/stock', 406, 200), ['§10.1.4 misspelt', '§10.1.5 none']],
  ['an endpoint without authentication', status('/prices/schema', 401, 200), ['§5.5 protected']],
  ['400 for an unknown path', status('/nowhere', 404, 400), ['§7 unknown-path', '§7 unknown-path-anonymous']],
  [
    '200 instead of 304',
    status('/stock', 304, 200),
    ['decision 72 unchanged', 'decision 72 lists', 'decision 201', 'decision 89'],
  ],
  ['200 for OPTIONS', status('/products', 405, 200), ['§1 read-only', '§4 options']],
  [
    'requests that count twice',
    countsTwice,
    ['§8.2 once', '§8.3 one-bucket', '§8.4 proven', '§10.1.5 after-401', '§8.4 own-quota'],
  ],
  ['the stock of one customer for all', sharedStock(), ['§5.4 own-data']],
];

/** Changes the body of a path in one format, whatever its query is. */
function body(path: string, from: string | RegExp, to: string, format?: string): Spoil {
  return (response, request) => {
    if (request.path.split('?')[0] === path && request.headers.accept === format)
      response.body = response.body.replace(from, to);
  };
}

/** Sets or removes a header of a path, in all responses or in those with a status. */
function header(path: string, name: string, to: string | undefined, of?: number): Spoil {
  return (response, request) => {
    if (request.path !== path || (of && response.status !== of)) return;
    if (to === undefined) delete response.headers[name];
    else response.headers[name] = to;
  };
}

function status(path: string, from: number, to: number): Spoil {
  return (response, request) => {
    if (request.path === path && response.status === from) response.status = to;
  };
}

function countsTwice({ headers }: Spoilable): void {
  const name = 'x-rate-limit-remaining';
  if (headers[name]) headers[name] = String(Number(headers[name]) * 2);
}

/** Simulates a cache that does not distinguish customers. */
function sharedStock(): Spoil {
  let first: string | undefined;
  return (response, { path }) => {
    if (path === '/stock' && response.body.startsWith('[')) response.body = first ??= response.body;
  };
}
