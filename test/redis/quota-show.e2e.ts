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

/** The lines of the table, with every reset that lies ahead as `soon`. */
const lines = (stdout: string) =>
  stdout
    .trim()
    .split('\n')
    .map((line) =>
      line.split(/ +/).map((cell) => (Date.parse(cell) > Date.now() && cell.endsWith('Z') ? 'soon' : cell)),
    );

test('quota show prints what the replicas counted, and counts nothing itself (issue 3)', async () => {
  const token = await service.token('C');
  for (let call = 0; call < 4; call++) await service.get('/stock', token);
  for (let time = 0; time < 2; time++)
    expect(lines((await show('C')).stdout)).toEqual([
      ['window', 'used', 'limit', 'reset'],
      ['1m', '5', '60', 'soon'],
      ['1h', '5', '1000', 'soon'],
    ]);
});

test('quota show knows own limits, and windows that nothing has begun', async () => {
  expect(lines((await show('OWN')).stdout)).toEqual([
    ['window', 'used', 'limit', 'reset'],
    ['1m', '0', '7', '-'],
    ['1h', '0', '70', '-'],
  ]);
});

test('quota show tells what Redis said to credentials that it does not know, without these', async () => {
  const { port } = new URL(redis.url);
  const { code, stderr } = await show('C', { REDIS_URL: `redis://nobody:hunter2@127.0.0.1:${port}` });
  expect([code, stderr]).toEqual([1, expect.stringMatching(/REDIS_URL cannot be asked: WRONGPASS /)]);
  expect(stderr).not.toContain('hunter2');
});

test.each<[string, string, Record<string, string> | undefined, RegExp]>([
  ['an unknown customer', 'NOBODY', undefined, /^There is no customer NOBODY/],
  ['no REDIS_URL', 'C', {}, /^REDIS_URL is not set/],
  [
    'a Redis that is not there',
    'C',
    { REDIS_URL: 'redis://127.0.0.1:1' },
    /The Redis of REDIS_URL cannot be asked: connect ECONNREFUSED/,
  ],
])('quota show complains of %s', async (_name, code, environment, problem) => {
  const said = await show(code, environment);
  expect([said.code, said.stdout]).toEqual([1, '']);
  expect(said.stderr).toMatch(problem);
});
