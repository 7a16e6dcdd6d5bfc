import express, { type Express } from 'express';
import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ExpressServerAdapter } from './express-server.adapter.js';

let server: Server;
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

test('requests and responses have the prototypes and methods of Express before Express handles them', async () => {
  const adapter = new ExpressServerAdapter(express());
  adapter.initHttpServer();
  server = adapter.getHttpServer() as Server;
  const app = adapter.getInstance<Express>();
  app.get('/:name', (request, response) => {
    response.json([request.params.name, request.path, request.app === app, response.app === app]);
  });
  const changed: boolean[] = [];
  server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
    const prototypes = [app.request, app.response];
    changed.push(...[request, response].map((message, index) => Object.getPrototypeOf(message) !== prototypes[index]));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const found = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/stock?x=1`);
  expect(await found.json()).toEqual(['stock', '/stock', true, true]);
  expect(changed).toEqual([false, false]);
});
