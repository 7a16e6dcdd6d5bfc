import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { sendBeforeClosing } from './unsent-responses.js';

/** More bytes than the operating system buffers for a client that does not read. */
const LARGE = 16_000_000;

test('a closing server sends a response that has ended, and closes idle connections (decision 125)', async () => {
  const server = createServer(({ url, socket }, response) => {
    response.end(url === '/large' ? Buffer.alloc(LARGE) : 'small');
    // The drain also closes the connection once the response is sent.
    if (url === '/large') response.once('close', () => socket.destroySoon());
  });
  sendBeforeClosing(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const [slow, idle] = [connect(port, '127.0.0.1'), connect(port, '127.0.0.1')];
  idle.write('GET /small HTTP/1.1\r\nHost: x\r\n\r\n');
  await once(idle, 'data');
  slow.write('GET /large HTTP/1.0\r\n\r\n');
  const [, response] = (await once(server, 'request')) as [unknown, ServerResponse];
  server.close();
  await once(idle, 'end');
  expect([response.finished, response.writableFinished]).toEqual([true, false]);
  let received = 0;
  slow.on('data', (bytes: Buffer) => (received += bytes.length));
  await once(slow, 'end');
  expect(received).toBeGreaterThan(LARGE);
});
