import { once } from 'node:events';
import { createServer } from 'node:net';
import { freePort, HIGHEST, LOWEST } from './free-port.mjs';

const LOWEST_PORT_OF_CLIENTS = 32_768;

afterEach(() => jest.restoreAllMocks());

test('returns ports below those of client connections', async () => {
  const ports = await Promise.all(Array.from({ length: 50 }, () => freePort()));
  expect(Math.max(...ports)).toBeLessThan(LOWEST_PORT_OF_CLIENTS);
});

test('skips a port that a server uses', async () => {
  const port = await freePort();
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  try {
    jest.spyOn(Math, 'random').mockReturnValueOnce((port - LOWEST + 0.5) / (HIGHEST - LOWEST + 1));
    expect(await freePort()).not.toBe(port);
    expect(Math.random).toHaveBeenCalledTimes(2);
  } finally {
    server.close();
    await once(server, 'close');
  }
});
