import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { cellsOf, csvRows } from './support/csv-cells.js';
import { describeUnless } from './support/describe-with.js';
import { difference, ENDPOINTS, expectedResponses } from './support/expected-responses.js';
import { call } from './support/http-call.js';
import { TestService } from './support/test-service.js';

const FOLDER = resolve(import.meta.dirname, '../../shared/data/luma');
const CUSTOMERS = ['LUMA-US', 'LUMA-EU', 'LUMA-BIG'];
const reason = !existsSync(FOLDER) && '../shared/data/luma does not exist';
if (reason && process.env.REQUIRE_LUMA === '1') throw new Error(reason);

describeUnless(reason, 'the Luma catalogue', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await TestService.start();
    await service.database.cliOk('import', FOLDER);
  });
  afterAll(() => service.close());

  describe.each(CUSTOMERS)('%s', (customerCode) => {
    let expected: ReturnType<typeof expectedResponses>;
    let token: string;
    beforeAll(async () => {
      expected = expectedResponses(FOLDER, customerCode);
      token = await service.token(customerCode);
    });

    test.each(ENDPOINTS)('%s contains every cell of the files', async (path) => {
      expect(expected[path]).not.toEqual([]);
      const response = await service.get(path, token);
      expect(difference(expected[path], Buffer.from(await response.arrayBuffer()))).toBeUndefined();
    });

    test.each(ENDPOINTS)('%s contains every cell as CSV', async (path) => {
      for (const [accept, delimiter] of [['text/csv', ','] as const, ['text/csv;delimiter=semicolon', ';'] as const]) {
        const { body } = await call(service.url, { path, token, headers: { Accept: accept } });
        const { rows } = csvRows(body, delimiter);
        expect(rows).toHaveLength(expected[path].length);
        expect(rows.findIndex((cells, index) => !isDeepStrictEqual(cells, cellsOf(expected[path][index]!)))).toBe(-1);
      }
    });

    test.each(ENDPOINTS)('%s contains every cell as NDJSON', async (path) => {
      const { body } = await call(service.url, { path, token, headers: { Accept: 'application/x-ndjson' } });
      const elements = body.split('\n');
      expect(elements.pop()).toBe('');
      expect(difference(expected[path], Buffer.from(`[${elements.join()}]`))).toBeUndefined();
    });
  });
});
