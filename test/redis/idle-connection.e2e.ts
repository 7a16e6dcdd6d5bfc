import { setTimeout as sleep } from 'node:timers/promises';
import { left } from '../support/http-call.js';
import { forge, QuotaBench } from '../support/quota-bench.js';
import { RedisServer } from '../support/redis-server.js';
import { A } from '../support/small-catalogue.js';
import { TcpProxy } from '../support/tcp-proxy.js';

let redis: RedisServer;
let proxy: TcpProxy;
let bench: QuotaBench;
beforeAll(async () => {
  redis = await RedisServer.create();
  await redis.start();
  proxy = new TcpProxy(redis.url);
  const url = await proxy.reservedUrl();
  await proxy.open();
  bench = await QuotaBench.start({ REDIS_URL: url });
});
afterAll(async () => {
  await bench.close();
  proxy.close();
  await redis.remove();
});

test('no count is lost to a firewall that drops connections idle for 2 s (issue 14 §8, decision 120)', async () => {
  proxy.forgetsAfter = 2000;
  for (const remaining of [59, 58, 57]) {
    expect(left(await bench.send({ token: forge(A) }))).toBe(remaining);
    await sleep(2500);
  }
  expect(await redis.run('HGET', `customer-data:quota:customer:${A}`, 'hits:60000')).toBe('3');
});

test('Redis counts every customer even if a key is damaged (issue 14 §7)', async () => {
  await redis.run('SET', 'customer-data:quota:customer:DAMAGED', 'x');
  for (const remaining of [59, 58]) expect(left(await bench.send({ token: forge('DAMAGED') }))).toBe(remaining);
  await bench.send({ token: forge('OTHER') });
  for (const [customer, hits] of [
    ['DAMAGED', '2'],
    ['OTHER', '1'],
  ])
    expect(await redis.run('HGET', `customer-data:quota:customer:${customer}`, 'hits:60000')).toBe(hits);
});
