import { Controller, Get, Module, type INestApplication } from '@nestjs/common';
import { APP_GUARD, NestFactory } from '@nestjs/core';
import { ThrottlerGuard, ThrottlerModule } from '@nestjs/throttler';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ThrottlerQuotaStorage } from '../../src/quota/quota-storage.js';
import { type ReceivedResponse, call } from './http-call.js';

const [SHORT, LONG] = [
  { name: 'short', ttl: 2000, limit: 3 },
  { name: 'long', ttl: 60_000, limit: 5 },
];

@Controller()
class Hello {
  @Get('hello')
  hello(): string {
    return 'hello';
  }
}

const remaining = ({ status, headers }: ReceivedResponse) => [
  status,
  headers['x-ratelimit-remaining-short'],
  headers['x-ratelimit-remaining-long'],
];

/**
 * Tests a quota storage under the guard of `@nestjs/throttler`, in an application without other parts of this service.
 */
export function throttlerSuite(storageOf: () => ThrottlerQuotaStorage): void {
  let app: INestApplication;
  let url: string;

  async function start(options: object = {}): Promise<void> {
    @Module({
      imports: [ThrottlerModule.forRoot({ throttlers: [SHORT!, LONG!], storage: storageOf(), ...options })],
      controllers: [Hello],
      providers: [{ provide: APP_GUARD, useClass: ThrottlerGuard }],
    })
    class Throttled {}
    app = await NestFactory.create(Throttled, { logger: false });
    await app.listen(0, '127.0.0.1');
    url = `http://127.0.0.1:${(app.getHttpServer().address() as AddressInfo).port}`;
  }
  afterEach(() => app.close());

  const request = (path = '/hello') => call(url, { path });

  test('admits the limit of each window and returns when the next request is admitted', async () => {
    await start();
    expect([remaining(await request()), remaining(await request()), remaining(await request())]).toEqual([
      [200, '2', '4'],
      [200, '1', '3'],
      [200, '0', '2'],
    ]);
    const refused = await request();
    expect(refused.status).toBe(429);
    const seconds = Number(refused.headers['retry-after-short']);
    expect([1, 2]).toContain(seconds);
    await sleep(seconds * 1000);
    expect(remaining(await request())).toEqual([200, '2', '1']);
    expect(remaining(await request())).toEqual([200, '1', '0']);
    const { status, headers } = await request();
    expect([status, Number(headers['retry-after-long']) > 50]).toEqual([429, true]);
  });

  test('counts the windows separately if the application gives them one key', async () => {
    await start({ generateKey: () => `one key ${url}` });
    expect([remaining(await request()), remaining(await request())]).toEqual([
      [200, '2', '4'],
      [200, '1', '3'],
    ]);
  });

  // This is why the service counts in a middleware (decision 154).
  test('a guard does not see requests for unknown paths, so it cannot count them', async () => {
    await start();
    for (let sent = 0; sent < 10; sent++) expect((await request('/unknown')).status).toBe(404);
    expect(remaining(await request())).toEqual([200, '2', '4']);
  });
}
