import { runCli } from '../../src/cli/program.js';
import { importFiles } from '../support/import-files.js';
import { RedisServer } from '../support/redis-server.js';
import { TestService } from '../support/test-service.js';

const LIMITS = { REQUESTS_PER_MINUTE: '60', REQUESTS_PER_HOUR: '1000' };

let redis: RedisServer;
let service: TestService;
beforeAll(async () => {
  redis = await RedisServer.create();
  await redis.start();
  service = await TestService.start({ ...LIMITS, REDIS_URL: redis.url });
  await service.database.load(
    importFiles({
      'customers.csv': [
        ['C', '', '', '', '0'],
        ['OWN', '', '', '', '0', '7', '70'],
      ],
    }),
  );
});
afterAll(async () => {
  await service.close();
  await redis.remove();
});

async function show(code: string, environment: Record<string, string> = { REDIS_URL: redis.url }) {
  const result = { code: 0, stdout: '', stderr: '' };
  const output = {
    stdout: { write: (text: string) => (result.stdout += text) },
    stderr: { write: (text: string) => (result.stderr += text) },
  };
  const settings = () => service.database.settings({ ...LIMITS, ...environment });
  result.code = await runCli(['quota', 'show', code], output, settings);
  return result;
}

/** Returns the cells of the table, with every reset in the future as `soon`. */
const lines = (stdout: string) =>
  stdout
    .trim()
    .split('\n')
    .map((line) =>
      line.split(/ +/).map((cell) => (Date.parse(cell) > Date.now() && cell.endsWith('Z') ? 'soon' : cell)),
    );

test('quota show prints the counts of the replicas and counts nothing itself (issue 3)', async () => {
  const token = await service.token('C');
  for (let request = 0; request < 4; request++) await service.get('/stock', token);
  for (let time = 0; time < 2; time++)
    expect(lines((await show('C')).stdout)).toEqual([
      ['window', 'used', 'limit', 'reset'],
      ['1m', '5', '60', 'soon'],
      ['1h', '5', '1000', 'soon'],
    ]);
});

test("quota show prints a customer's own limits, and windows that have not started", async () => {
  expect(lines((await show('OWN')).stdout)).toEqual([
    ['window', 'used', 'limit', 'reset'],
    ['1m', '0', '7', '-'],
    ['1h', '0', '70', '-'],
  ]);
});

test('quota show prints why Redis refuses the credentials, without the credentials', async () => {
  const { port } = new URL(redis.url);
  const { code, stderr } = await show('C', { REDIS_URL: `redis://unknown:hunter2@127.0.0.1:${port}` });
  expect([code, stderr]).toEqual([1, expect.stringMatching(/Redis \(REDIS_URL\) cannot be read: WRONGPASS /)]);
  expect(stderr).not.toContain('hunter2');
});

test.each<[string, string, Record<string, string> | undefined, RegExp]>([
  ['an unknown customer', 'UNKNOWN', undefined, /^There is no customer UNKNOWN/],
  ['no REDIS_URL', 'C', {}, /^REDIS_URL is not set/],
  [
    'an unreachable Redis',
    'C',
    { REDIS_URL: 'redis://127.0.0.1:1' },
    /Redis \(REDIS_URL\) cannot be read: connect ECONNREFUSED/,
  ],
])('quota show reports %s', async (_name, code, environment, problem) => {
  const result = await show(code, environment);
  expect([result.code, result.stdout]).toEqual([1, '']);
  expect(result.stderr).toMatch(problem);
});
