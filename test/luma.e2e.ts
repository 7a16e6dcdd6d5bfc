import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { difference, ENDPOINTS, expectedAnswers } from './support/expected-answers.js';
import { TestService } from './support/test-service.js';

const FOLDER = resolve(import.meta.dirname, '../../shared/data/luma');
const CUSTOMERS = ['LUMA-US', 'LUMA-EU', 'LUMA-BIG'];
const NOT_RUN = 'NOT RUN: the comparison with the Luma catalogue, because ../shared/data/luma is not there';

const present = existsSync(FOLDER);
if (!present && process.env.REQUIRE_LUMA === '1') throw new Error(NOT_RUN);

(present ? describe : describe.skip)(present ? 'the Luma catalogue' : NOT_RUN, () => {
  let service: TestService;
  beforeAll(async () => {
    service = await TestService.start();
    await service.database.cliOk('import', FOLDER);
  });
  afterAll(() => service.close());

  describe.each(CUSTOMERS)('%s', (customerCode) => {
    let expected: ReturnType<typeof expectedAnswers>;
    let token: string;
    beforeAll(async () => {
      expected = expectedAnswers(FOLDER, customerCode);
      token = await service.token(customerCode);
    });

    test.each(ENDPOINTS)('%s holds every cell of the files', async (path) => {
      expect(expected[path]).not.toEqual([]);
      const response = await service.get(path, token);
      expect(difference(expected[path], Buffer.from(await response.arrayBuffer()))).toBeUndefined();
    });
  });
});
