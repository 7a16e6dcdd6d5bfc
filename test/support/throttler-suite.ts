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

const remainingIn = ({ status, headers }: ReceivedResponse) => [
  status,
  headers['x-ratelimit-remaining-short'],
  headers['x-ratelimit-remaining-long'],
];

/** Puts a storage under the guard of `@nestjs/throttler`, in an application that uses nothing else of this service. */
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

  const ask = (path = '/hello') => call(url, { path });

  test('admits the limit of each window and returns when the next request is admitted', async () => {
    await start();
    expect([remainingIn(await ask()), remainingIn(await ask()), remainingIn(await ask())]).toEqual([
      [200, '2', '4'],
      [200, '1', '3'],
      [200, '0', '2'],
    ]);
    const refused = await ask();
    expect(refused.status).toBe(429);
    const seconds = Number(refused.headers['retry-after-short']);
    expect([1, 2]).toContain(seconds);
    await sleep(seconds * 1000);
    expect(remainingIn(await ask())).toEqual([200, '2', '1']);
    expect(remainingIn(await ask())).toEqual([200, '1', '0']);
    const { status, headers } = await ask();
    expect([status, Number(headers['retry-after-long']) > 50]).toEqual([429, true]);
  });

  test('keeps two windows separate if the application uses one key for both', async () => {
    await start({ generateKey: () => `one key ${url}` });
    expect([remainingIn(await ask()), remainingIn(await ask())]).toEqual([
      [200, '2', '4'],
      [200, '1', '3'],
    ]);
  });

  // This is why the service counts in a middleware (docs/decisions.md#154).
  test('does not count requests for unknown paths, because a guard does not see them', async () => {
    await start();
    for (let request = 0; request < 10; request++) expect((await ask('/unknown')).status).toBe(404);
    expect(remainingIn(await ask())).toEqual([200, '2', '4']);
  });
}
