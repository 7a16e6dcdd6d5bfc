import type { Request, Response } from 'express';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { Drain } from './drain.js';

test('abortAll() resets unfinished responses, so that clients detect that they are incomplete (decisions 51, 58)', async () => {
  const drain = new Drain();
  const server = createServer((request, response) => {
    drain.use(request as Request, response as Response, () => response.write('['));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.write('GET /products HTTP/1.0\r\n\r\n');
  await once(client, 'data');
  drain.abortAll();
  // HTTP/1.0 has no chunks, so a normal close would look like the end of the response.
  const [error] = (await once(client, 'error')) as [NodeJS.ErrnoException];
  expect(error.code).toBe('ECONNRESET');
  await drain.closed();
  server.close();
});

test('closeWhenIdle() closes a keep-alive connection after its last unfinished response', async () => {
  const drain = new Drain();
  const responses: Response[] = [];
  const server = createServer((request, response) => {
    drain.use(request as Request, response as Response, () => responses.push(response as Response));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(2));
  while (responses.length < 2) await once(server, 'request');
  responses[0]!.write('begun;');
  await once(client, 'data');
  drain.begin();
  drain.closeWhenIdle();
  const closed = Promise.all([once(server.close(), 'close'), once(client, 'end')]);
  responses[0]!.end('first');
  let text = '';
  client.on('data', (piece: Buffer) => (text += piece.toString()));
  await once(client, 'data');
  responses[1]!.end('second');
  await closed;
  await drain.closed();
  expect(text).toMatch(/first[^]*HTTP\/1\.1 200 OK[^]*second$/);
});
