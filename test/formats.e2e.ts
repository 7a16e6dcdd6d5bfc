import { cellsOf, csvRows } from './support/csv-cells.js';
import { responsesOf, ENDPOINTS, KEYS } from './support/expected-responses.js';
import { withoutFurtherColumns } from './support/further-fields.js';
import { type ReceivedResponse, call, type Call, left } from './support/http-call.js';
import { importFiles } from './support/import-files.js';
import { firstFiles } from './support/random-edits.js';
import { SeededRandom } from './support/seeded-random.js';
import { A, B, MARKS_OF_B, smallCatalogue } from './support/small-catalogue.js';
import { tableCells } from './support/table-cells.js';
import { TestService } from './support/test-service.js';

const CSV = 'text/csv; charset=utf-8; header=present';
const GERMAN = `${CSV}; delimiter=semicolon; decimal=comma`;
const LINES = 'application/x-ndjson; charset=utf-8';
const JSON_TYPE = 'application/json; charset=utf-8';
/** Texts that a spreadsheet would run as formulas, and texts that look like them. */
const FORMULAS = [
  '=1+1',
  '+49',
  '-5',
  '@SUM(A1)',
  '\tx',
  '\rx',
  `'=1`,
  `''-`,
  '＝1',
  `'s Gravenhage`,
  '',
  "=cmd|' /C calc'!A0",
  'a;=1+1;b',
  'a,-5\t@b\r\n=1',
  `;"'=1`,
];
const CUSTOMERS = ['C0', 'C1'];

let service: TestService;
const tokens: Record<string, string> = {};
beforeAll(async () => {
  service = await TestService.start({ JWT_SECRET: 's'.repeat(40), RESPONSE_CACHE_MEGABYTES: '0' });
  await service.database.load(firstFiles(new SeededRandom(0)));
  for (const code of CUSTOMERS) tokens[code] = await service.token(code);
});
afterAll(() => service.close());

const get = (path: string, accept?: string, { token = tokens.C0!, headers, ...more }: Call = {}) =>
  call(service.url, {
    path,
    token,
    headers: { ...(accept === undefined ? {} : { Accept: accept }), ...headers },
    ...more,
  });
const typeOf = ({ status, headers }: ReceivedResponse) => (status === 200 ? headers['content-type'] : status);

describe('cells and lines have the values of the JSON response', () => {
  test.each([1, 2, 3, 4])('for random catalogue %i', async (seed) => {
    const folder = await service.database.files(firstFiles(new SeededRandom(seed)));
    await service.database.cliOk('import', folder, '--replace', '--allow-removals', '--allow-price-changes');
    for (const [index, formula] of FORMULAS.entries())
      await service.database.sql('UPDATE products SET Theme = ?, Photo = ? WHERE SKU = ?', [
        formula,
        formula,
        `P${index}`,
      ]);
    const read = await tableCells(service.database);
    for (const code of CUSTOMERS) {
      const [token, expected] = [tokens[code]!, responsesOf(read, code)];
      for (const path of ENDPOINTS) {
        const json = (await get(path, undefined, { token })).body;
        const lines = await get(path, 'application/x-ndjson', { token });
        expect(`[${lines.body.slice(0, -1).replaceAll('\n', ',')}]`).toBe(json);
        expect(lines.body).toMatch(/^$|\n$/);
        for (const [accept, delimiter] of [
          ['text/csv', ','],
          ['text/csv;delimiter=semicolon', ';'],
          ['text/csv;delimiter=semicolon;decimal=comma', ';'],
        ] as const) {
          const { header, rows } = csvRows((await get(path, accept, { token })).body, delimiter);
          expect(header.join()).toBe(KEYS[path].join());
          // The expected responses have no empty texts, because an import stores none.
          const cells = expected[path].map((element) => cellsOf(element, accept.includes('decimal') ? ',' : '.'));
          expect([code, path, rows]).toEqual([code, path, cells]);
        }
      }
    }
  });

  test('with "" for an empty text and an empty cell for null', async () => {
    await service.database.sql(`UPDATE products SET Name = '', Description = NULL WHERE SKU = 'P0'`);
    await service.database.load(importFiles({ 'prices.csv': [['L0', 'P0', '30.10', '', '', 'false']] }));
    const { body } = await get('/products', 'text/csv');
    expect(body).toContain('\r\nP0,"",,');
    const price = (await get('/prices', 'text/csv')).body.split('\r\n').find((row) => row.includes(',P0,'));
    expect(price).toMatch(/,P0,30\.1000,,+$/);
  });
});

describe.each(ENDPOINTS)('%s', (path) => {
  test.each<[string | undefined, string | number]>([
    [undefined, JSON_TYPE],
    ['', JSON_TYPE],
    ['*/*', JSON_TYPE],
    ['nonsense', JSON_TYPE],
    ['application/*', JSON_TYPE],
    ['application/json;odata=verbose', JSON_TYPE],
    ['text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2', JSON_TYPE],
    ['text/csv, application/json', JSON_TYPE],
    ['text/csv;q=0.9, application/json;q=0.8', CSV],
    ['text/csv', CSV],
    ['text/*', CSV],
    ['text/csv; charset=UTF-8; header=present; bom=1; delimiter=semicolon', `${CSV}; delimiter=semicolon; bom=1`],
    ['text/csv;charset=utf8', CSV],
    ['text/csv;charset=Utf-8;decimal=point;delimiter=comma;bom=0', CSV],
    ['text/csv;bom=1', `${CSV}; bom=1`],
    ['text/csv;decimal=comma', GERMAN],
    ['text/csv; Delimiter="semicolon"; Decimal=COMMA', GERMAN],
    ['text/csv;decimal=comma;bom=1', `${GERMAN}; bom=1`],
    ['application/x-ndjson;charset=UTF8', LINES],
    ['application/x-ndjson', LINES],
    ['application/json;q=0, */*', LINES],
    ['text/csv;charset=iso-8859-1', 406],
    ['text/csv;header=absent', 406],
    ['text/csv;delimiter=tab', 406],
    ['text/csv;delimiter=comma;decimal=comma', 406],
    ['text/csv;decimal=semicolon', 406],
    ['text/csv;delimeter=semicolon', 406],
    ['text/html', 406],
    ['application/xml, text/plain;q=0.5', 406],
    ['*/*;q=0', 406],
  ])('with Accept %j returns %s', async (accept, type) => {
    const response = await get(path, accept);
    expect(typeOf(response)).toBe(type);
    const head = await get(path, accept, { method: 'HEAD' });
    expect([typeOf(head), head.body]).toEqual([type, '']);
    for (const name of ['etag', 'vary', 'cache-control', 'content-type'])
      expect([name, head.headers[name]]).toEqual([name, response.headers[name]]);
    if (type !== 406) return expect(response.headers.vary).toBe('Authorization, Accept, Accept-Encoding');
    expect(response.headers).toMatchObject({ 'content-type': JSON_TYPE, 'x-request-id': expect.any(String) });
    expect(response.headers).not.toHaveProperty('etag');
    expect(response.body).toBe(
      '{"error":"None of the formats in Accept is available here; available: application/json, application/x-ndjson, or text/csv, which may have bom=1, delimiter=semicolon, or delimiter=semicolon;decimal=comma."}',
    );
  });

  test('reads several Accept headers as one', async () => {
    const headers = { Accept: ['text/html', 'text/csv;q=0.2', 'application/json;q=0.1'] };
    expect(typeOf(await get(path, undefined, { headers }))).toBe(CSV);
  });

  test('changes only the byte-order mark and the delimiter as requested', async () => {
    const plain = await get(path, 'text/csv');
    const marked = await get(path, 'text/csv;bom=1');
    expect(marked.bytes.equals(Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), plain.bytes]))).toBe(true);
    expect(plain.bytes[0]).not.toBe(0xef);
    const both = await get(path, 'text/csv;delimiter=semicolon;bom=1');
    expect(csvRows(both.body, ';')).toEqual(csvRows(plain.body));
    expect(both.body.split('\r\n')[0]).toBe(`\uFEFF${KEYS[path].join(';')}`);
  });

  test('returns a CSV header or an empty body if there are no elements', async () => {
    await service.database.load(importFiles({ 'customers.csv': [['EMPTY', '', '', '', '0']] }));
    const token = await service.token('EMPTY');
    expect((await get(path, 'text/csv', { token })).body).toBe(`${KEYS[path].join()}\r\n`);
    expect((await get(path, 'text/csv;bom=1', { token })).body).toBe(`\uFEFF${KEYS[path].join()}\r\n`);
    const lines = await get(path, 'application/x-ndjson', { token });
    expect([lines.status, lines.body]).toEqual([200, '']);
  });

  test('counts one request for each response, including a 406', async () => {
    const before = left(await get(path));
    for (const [index, accept] of ['text/csv', 'application/x-ndjson', 'text/html'].entries())
      expect(left(await get(path, accept))).toBe(before - index - 1);
  });

  test('returns 401, 404 and 500 as JSON, whatever Accept names', async () => {
    for (const accept of ['text/csv', 'text/html']) {
      const { status, headers, body } = await get(path, accept, { token: 'none' });
      expect([status, headers['content-type'], Object.keys(JSON.parse(body))]).toEqual([401, JSON_TYPE, ['error']]);
      await service.database.cliOk('customer', 'set', 'C1', '--inactive');
      const inactive = await get(path, accept, { token: tokens.C1! });
      expect([inactive.status, inactive.headers['content-type'], inactive.body]).toEqual([
        404,
        JSON_TYPE,
        '{"error":"Customer not found."}',
      ]);
      await service.database.cliOk('customer', 'set', 'C1', '--active');
    }
    await service.database.sql('ALTER TABLE prices RENAME TO hidden_prices');
    try {
      for (const accept of ['text/csv', 'application/x-ndjson']) {
        const { status, headers, body } = await get(path, accept);
        expect([status, headers['content-type'], Object.keys(JSON.parse(body))]).toEqual([500, JSON_TYPE, ['error']]);
      }
    } finally {
      await service.database.sql('ALTER TABLE hidden_prices RENAME TO prices');
    }
  });
});

test('paths with one format return it whatever Accept names', async () => {
  for (const accept of ['text/csv', 'text/html', '*/*;q=0'])
    for (const path of [...ENDPOINTS.map((data) => `${data}/schema`), '/api/version'])
      expect([path, typeOf(await get(path, accept))]).toEqual([path, JSON_TYPE]);
  expect(typeOf(await get('/health', 'text/csv'))).toBe('text/plain');
  const token = await get('/auth/token', 'text/csv', { method: 'POST', body: 'x=1' });
  expect([token.status, token.headers['content-type']]).toEqual([400, JSON_TYPE]);
});

describe('a response in another format contains only rows of its customer', () => {
  test.each(['text/csv', 'text/csv;delimiter=semicolon;bom=1', 'application/x-ndjson'])('%s', async (accept) => {
    await service.database.load(smallCatalogue);
    const [tokenA, tokenB] = [await service.token(A), await service.token(B)];
    const marks = async (token: string) => {
      const responses = await Promise.all(ENDPOINTS.map((path) => get(path, accept, { token })));
      const text = responses.map(({ body }) => body).join();
      return MARKS_OF_B.filter((mark) => text.includes(mark));
    };
    expect(await marks(tokenA)).toEqual([]);
    expect(await marks(tokenB)).toEqual(MARKS_OF_B);
    const stock = 'SKU,StockLocation,AvailableQTY,NextAvailableETA\r\nA-ONLY,WH-A,5,\r\nSHARED,WH-A,7,2027-01-15\r\n';
    const prices =
      'PriceListCode,PriceListName,CurrencyCode,SKU,PriceExclVAT,MOQ,OrderMultiple\r\n' +
      'LIST-A,List A,EUR,A-ONLY,9.0000,1,1\r\nLIST-A,List A,EUR,FIXED,7.7777,12,6\r\nLIST-A,List A,EUR,SHARED,18.0005,2,2\r\n';
    const firstColumns = async (path: string, columns: number) =>
      withoutFurtherColumns((await get(path, 'text/csv', { token: tokenA })).body, columns);
    expect([await firstColumns('/stock', 4), await firstColumns('/prices', 7)]).toEqual([stock, prices]);
  });
});
