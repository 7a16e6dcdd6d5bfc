import { resolve } from 'node:path';
import { runSuite } from '../../conformance/suite.js';
import { TestService } from '../support/test-service.js';

/** The clauses about refusals, which a run without `--use-up-quota` cannot test. */
const REFUSALS = ['§8.1 exact', '§7 quota', '§8.6 retry-after', '§8.4 apart', '§8.6 admitted'];

let service: TestService;
beforeAll(async () => {
  service = await TestService.start();
  await service.database.cliOk('import', resolve(import.meta.dirname, '../../demo'));
  await service.database.cliOk('customer', 'set', 'DEMO-UK', '--per-minute', '150');
});
afterAll(() => service.close());

test('the conformance suite passes its clauses about refusals and waits for the window to end', async () => {
  const credentials = async (clientId: string) => ({ clientId, clientSecret: await service.key(clientId) });
  const target = {
    url: new URL(service.url),
    customer: await credentials('DEMO-SHOP'),
    other: await credentials('DEMO-UK'),
    share: 1,
    useUpQuota: true,
  };
  const { results } = await runSuite(target, { log: () => {}, onResult: () => {} });
  expect(results.filter(({ verdict }) => verdict === 'FAIL')).toEqual([]);
  expect(results.filter(({ id }) => REFUSALS.includes(id)).map(({ verdict }) => verdict)).toEqual(
    REFUSALS.map(() => 'PASS'),
  );
}, 150_000);
