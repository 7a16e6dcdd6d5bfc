import { RedisQuotaStorage } from '../../src/quota/redis-quota-storage.js';
import { documentedAccount } from '../support/documented-account.js';
import { RedisServer } from '../support/redis-server.js';
import { until } from '../support/until.js';

const WINDOWS = [{ name: 'long', ttl: 60_000 }];
const REFUSED = /permission|can't run this command/;
const { args, commands } = documentedAccount('Redis');

let server: RedisServer;
beforeAll(async () => {
  server = await RedisServer.create();
  await server.start({ maxmemory: '100mb', 'maxmemory-policy': 'volatile-lru' });
});
afterAll(() => server.remove());
beforeEach(() => server.run('FLUSHALL'));

/** Waits until Redis replies, even if it refuses the command. */
const connected = (storage: RedisQuotaStorage) =>
  until('the connection', () =>
    storage.watch().then(
      () => true,
      ({ message }: Error) => message.startsWith('NOPERM'),
    ),
  );

/** Does everything that the service does with Redis. Returns what fails or is unknown. */
async function problem(database = 1): Promise<string | undefined> {
  const storage = new RedisQuotaStorage(`redis://customer-data:PASSWORD@127.0.0.1:${server.port}/${database}`, 5000);
  try {
    await storage.start();
    await connected(storage);
    await storage.probe();
    // The script deletes a key of another type.
    await server.run(
      'EVAL',
      `redis.call('SELECT', 1) redis.call('SET', KEYS[1], '')`,
      1,
      'customer-data:quota:damaged',
    );
    await storage.hit('damaged', WINDOWS);
    await storage.read('damaged', WINDOWS);
    return (await storage.evictionPolicy()) === 'volatile-lru' ? undefined : 'the eviction policy is unknown';
  } catch (error) {
    return (error as Error).message;
  } finally {
    storage.close();
  }
}

test('the documented account of Redis may do what the service does, and nothing is denied (decision 184)', async () => {
  await server.run('ACL', 'SETUSER', 'customer-data', ...args);
  expect(await problem()).toBeUndefined();
  expect(await server.run('ACL', 'LOG')).toEqual([]);
  expect(await server.run('DBSIZE')).toBe(0);
});

test.each(commands)('the documented account of Redis needs the command %s (decision 184)', async (command) => {
  await server.run('ACL', 'SETUSER', 'customer-data', 'reset', ...args, `-${command}`);
  expect(await problem()).toMatch(command === 'info' ? 'the eviction policy is unknown' : REFUSED);
});

test('the documented account of Redis needs and reaches only the keys of the quotas (decision 184)', async () => {
  expect(args.filter((arg) => arg.startsWith('~'))).toEqual(['~customer-data:quota:*']);
  await server.run('ACL', 'SETUSER', 'customer-data', 'reset', ...args, 'resetkeys', '~other:*');
  expect(await problem()).toMatch(REFUSED);
});

test('a database that Redis does not have is an error, and nothing is counted in database 0', async () => {
  await server.run('ACL', 'SETUSER', 'customer-data', 'reset', ...args);
  expect(await problem(999)).toMatch(/DB index is out of range/);
});

test.each([
  ['0', 'allkeys-lru', undefined],
  ['1gb', 'noeviction', undefined],
  ['1gb', 'allkeys-lru', 'allkeys-lru'],
])('with maxmemory %s and the policy %s, counts may be evicted by %s', async (maxmemory, policy, evicting) => {
  await server.run('CONFIG', 'SET', 'maxmemory', maxmemory, 'maxmemory-policy', policy);
  const storage = new RedisQuotaStorage(server.url, 5000);
  await storage.start();
  await connected(storage);
  expect(await storage.evictionPolicy()).toBe(evicting);
  storage.close();
});
