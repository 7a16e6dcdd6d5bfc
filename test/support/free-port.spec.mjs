import { once } from 'node:events';
import { createServer } from 'node:net';
import { freePort } from './free-port.mjs';

const LOWEST_PORT_OF_CLIENTS = 32_768;

afterEach(() => jest.restoreAllMocks());

test('no client connection takes the port', async () => {
  const ports = await Promise.all(Array.from({ length: 50 }, () => freePort()));
  expect(Math.max(...ports)).toBeLessThan(LOWEST_PORT_OF_CLIENTS);
});

test('skips a port that a server uses', async () => {
  const port = await freePort();
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');

  jest.spyOn(Math, 'random').mockReturnValueOnce((port - 10_000) / 22_768);
  const other = await freePort();
  server.close();

  expect(Math.random).toHaveBeenCalledTimes(2);
  expect(other).not.toBe(port);
});
