import type { NestExpressApplication } from '@nestjs/platform-express';
import { request } from 'node:http';
import { CHANGES, DATA, SCHEMAS } from './support/data-endpoints.js';
import { layersOf, routesOf, startWithApp } from './support/running-app.js';
import { withoutFurtherFields } from './support/further-fields.js';
import { A, B, C, MARKS_OF_B, smallCatalogue } from './support/small-catalogue.js';
import type { TestService } from './support/test-service.js';

const PUBLIC = ['GET /api/version', 'GET /health', 'POST /auth/token'];

const words = (text: string) => text.trim().split(/\s+/);

let service: TestService;
let app: NestExpressApplication;
let tokens: Record<string, string>;
/** The response to each customer at each path, if the request has nothing but a token. */
const plain: Record<string, Record<string, string>> = {};

beforeAll(async () => {
  ({ service, app } = await startWithApp());
  await service.database.load(smallCatalogue);
  tokens = { [A]: await service.token(A), [B]: await service.token(B), [C]: await service.token(C) };
  for (const [code, token] of Object.entries(tokens)) {
    plain[code] = {};
    for (const path of DATA) plain[code][path] = await service.text(path, token);
  }
});
afterAll(() => service.close());

interface Sent {
  method?: string;
  path: string;
  headers?: Record<string, string | string[]>;
  body?: string;
}

/** Sends a request with A's token and exactly this path. `fetch` would normalize the path. */
function sendAsA({ method = 'GET', path, headers = {}, body = '' }: Sent): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(service.url);
    const length = body ? { 'Content-Length': Buffer.byteLength(body) } : {};
    const all = { Authorization: `Bearer ${tokens[A]}`, ...length, ...headers };
    const outgoing = request({ hostname, port, method, path, headers: all, agent: false }, (incoming) => {
      let text = '';
      incoming.setEncoding('utf8').on('data', (chunk) => (text += chunk));
      incoming.on('end', () => resolve({ status: incoming.statusCode!, text }));
    });
    outgoing.on('error', reject).end(body);
  });
}

test('the public port has exactly the endpoints of the interface (interface §4, decisions 28, 152)', () => {
  const data = [...DATA, ...CHANGES, ...SCHEMAS].map((path) => `GET ${path}`);
  expect(routesOf(app).toSorted()).toEqual([...data, 'GET /api/usage', ...PUBLIC].toSorted());
  // There must be no nested router, because the line above would not see its routes.
  expect(layersOf(app).filter(({ handle }) => handle.stack)).toEqual([]);
});

test('every endpoint except the three public ones returns 401 without a token (interface §5.5)', async () => {
  const responses: [string, number][] = [];
  for (const route of routesOf(app)) {
    const [method, path] = route.split(' ') as [string, string];
    const response = await fetch(service.url + path, { method });
    const challenge = response.headers.get('www-authenticate');
    if (challenge === 'Bearer realm="customer-data-service"') expect(response.status).toBe(401);
    else responses.push([route, response.status]);
  }
  // The token endpoint returns 400 for the empty body.
  expect(responses.toSorted()).toEqual([
    [PUBLIC[0], 200],
    [PUBLIC[1], 200],
    [PUBLIC[2], 400],
  ]);
});

/** Returns the JSON text of an element. Prices have four decimals, which JSON.stringify would not keep (decision 3). */
const price =
  (list: string, name: string, currency: string) => (sku: string, net: string, moq: number, multiple: number) =>
    `{"PriceListCode":"${list}","PriceListName":"${name}","CurrencyCode":"${currency}","SKU":"${sku}","PriceExclVAT":${net},"MOQ":${moq},"OrderMultiple":${multiple}}`;
const inEuro = price('LIST-A', 'List A', 'EUR');
const inPounds = price('LIST-B', 'List B', 'GBP');
const entry = (sku: string, warehouse: string, quantity: number, eta: string | null = null) =>
  JSON.stringify({ SKU: sku, StockLocation: warehouse, AvailableQTY: quantity, NextAvailableETA: eta });
const marksOfB = (code: string, path: string) => MARKS_OF_B.filter((mark) => plain[code]![path]!.includes(mark));

describe("responses have the customer's own price list, warehouse and discount (interface §1, decisions 4, 5, 6, 10)", () => {
  const [fixedA, fixedB] = [inEuro('FIXED', '7.7777', 12, 6), inPounds('FIXED', '8.8888', 12, 6)];
  test.each([
    [A, '/prices', [inEuro('A-ONLY', '9.0000', 1, 1), fixedA, inEuro('SHARED', '18.0005', 2, 2)]],
    [B, '/prices', [inPounds('B-ONLY', '22.3500', 3, 3), fixedB, inPounds('SHARED', '29.8000', 4, 4)]],
    [C, '/prices', [inEuro('A-ONLY', '10.0000', 1, 1), fixedA, inEuro('SHARED', '20.0005', 2, 2)]],
    [A, '/stock', [entry('A-ONLY', 'WH-A', 5), entry('SHARED', 'WH-A', 7, '2027-01-15')]],
    [B, '/stock', [entry('B-ONLY', 'WH-B', 60, '2027-02-28'), entry('SHARED', 'WH-B', 70)]],
    [C, '/stock', [entry('A-ONLY', 'WH-B', 50), entry('SHARED', 'WH-B', 70)]],
  ])('to %s at %s', (code, path, elements) => {
    const expected = `[${elements.join()}]`;
    expect(withoutFurtherFields(plain[code]![path]!, expected)).toBe(expected);
  });

  test.each(DATA)('to A at %s without the values of B that responses to B have', (path) => {
    expect(marksOfB(A, path)).toEqual([]);
    expect(marksOfB(B, path)).not.toEqual([]);
  });

  test('to B at /products with every value of B that can occur there', () => {
    expect(marksOfB(B, '/products')).toEqual(MARKS_OF_B.filter((mark) => mark !== 'WH-B'));
  });

  test('for concurrent requests of all customers', async () => {
    const requests = Array.from({ length: 20 }, () =>
      [A, B, C].flatMap((code) => DATA.map((path) => [code, path] as const)),
    ).flat();
    const responses = await Promise.all(requests.map(([code, path]) => service.text(path, tokens[code]!)));
    expect(responses).toEqual(requests.map(([code, path]) => plain[code]![path]));
  });
});

describe.each(DATA)('%s returns no row of B to A (interface §1, decision 11)', (data) => {
  const same = () => ({ status: 200, text: plain[A]![data]! });

  test.each([
    ...words('customer customerCode CustomerCode customer_id client_id sub').map((name) => [name, B]),
    ...words('priceList price_list PriceListCode').map((name) => [name, 'LIST-B']),
    ...words('warehouse WarehouseCode StockLocation').map((name) => [name, 'WH-B']),
  ])('for %s=%s in the query, form, JSON and cookie', async (name, value) => {
    const pair = `${name}=${value}`;
    const json = JSON.stringify({ [name!]: value });
    const requests: Sent[] = [
      { path: `${data}?${pair}` },
      { path: `${data}?${name}[]=${value}&${name}[$ne]=${A}` },
      { path: data, body: pair, headers: { 'Content-Type': 'application/x-www-form-urlencoded' } },
      { path: data, body: json, headers: { 'Content-Type': 'application/json' } },
      { path: data, headers: { Cookie: pair } },
    ];
    for (const sent of requests) expect([sent, await sendAsA(sent)]).toEqual([sent, same()]);
  });

  test("for B's token outside the Authorization header", async () => {
    const token = `access_token=${tokens[B]}`;
    const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const requests: Sent[] = [
      { path: `${data}?${token}` },
      { path: data, body: token, headers: form },
      { path: data, headers: { Cookie: token } },
      { path: data, headers: { 'X-Access-Token': tokens[B]!, 'Proxy-Authorization': `Bearer ${tokens[B]}` } },
    ];
    for (const sent of requests) expect(await sendAsA(sent)).toEqual(same());
  });

  test.each([
    ...words('X-Customer X-Customer-Code X-Client-Id X-User X-Forwarded-User X-Remote-User From').map((name) => [
      name,
      B,
    ]),
    ...words('X-Forwarded-For X-Real-IP Forwarded X-Forwarded-Host Host Origin Referer').map((name) => [name, B]),
    ...words('X-Original-URL X-Rewrite-URL X-Forwarded-Prefix').map((name) => [name, `/products?customer=${B}`]),
    ...words('X-HTTP-Method-Override X-HTTP-Method X-Method-Override').map((name) => [name, 'POST']),
    ['X-Price-List', 'LIST-B'],
    ['X-Warehouse', 'WH-B'],
  ])('for the header %s: %s', async (name, value) => {
    expect(await sendAsA({ path: data, headers: { [name!]: value! } })).toEqual(same());
  });

  // DATA is a placeholder for the path.
  const TRICKS = `
    DATA/B DATA/.B DATA/../B DATA;B DATA;customer=B DATA/;B DATA%2fB DATA%3fcustomer=B DATA%00B DATA@B DATA/
    DATA/../products;B /B/DATA //B/DATA /BDATA /DATA /.DATA /x/..DATA`;
  test.each(words(TRICKS))('for the path %s, which returns 404', async (trick) => {
    const path = trick.replace('B', B).replace('DATA', data);
    const { status, text } = await sendAsA({ path });
    expect([path, status]).toEqual([path, 404]);
    expect(text).toBe('{"error":"There is nothing at this path."}');
  });

  test.each(['http://%s/DATA', 'http://%s@x/DATA', '/DATA#%s'])(
    'for the request target %s, which returns the data of A or no data',
    async (pattern) => {
      const { status, text } = await sendAsA({ path: pattern.replace('/DATA', data).replace('%s', B) });
      expect([same(), { status, text: expect.not.stringContaining('SKU') }]).toContainEqual({ status, text });
    },
  );
});
