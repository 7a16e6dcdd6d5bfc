import { call } from '../support/http-call.js';
import { RedisServer } from '../support/redis-server.js';
import { ServiceProcess } from '../support/service-process.js';
import { TestDatabase } from '../support/test-service.js';

test('a password that Redis refuses is not in the log, and requests still get responses (decisions 27, 31)', async () => {
  const database = await TestDatabase.create();
  const redis = await RedisServer.create();
  await redis.start();
  await redis.run('CONFIG', 'SET', 'requirepass', 'the-right-one');
  const url = new URL(redis.url);
  url.password = 'the-wrong-one';
  const service = ServiceProcess.start(
    { DATABASE_URL: database.url, DEMO_DATA: 'false', LOG_FORMAT: 'json', REDIS_URL: url.href },
    database.folder,
  );
  const ports = await service.ports();
  expect((await call(ports.url)).status).toBe(200);
  expect(await service.stop()).toBe(0);
  expect(service.log.filter(({ level }) => level === 'error')).toMatchObject([
    { context: 'Quota', message: expect.stringContaining('Redis is lost (WRONGPASS ') },
  ]);
  expect(service.output).not.toContain('the-wrong-one');
  await redis.remove();
  await database.drop();
});
