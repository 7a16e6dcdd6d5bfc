import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerOptions, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../../test/support/until.js';
import { dispatchOneAtATime } from './pipelining.js';

// These tests use a real HTTP server with real clients. Each test ends the responses of the server itself.

const FORM = 'POST /post HTTP/1.1\r\nHost: x\r\n';
const get = (path: string, header = '') => `GET ${path} HTTP/1.1\r\nHost: x\r\n${header}\r\n`;

class Bench {
  readonly dispatched: string[] = [];
  readonly pending: { request: IncomingMessage; response: ServerResponse }[] = [];
  mostAtOnce = 0;
  private readonly server: Server;
  private readonly clients: Socket[] = [];
  /** The server side of the latest connection. */
  latest!: Socket;

  /** @param automatic whether each response ends as soon as its request is complete */
  constructor(options: ServerOptions = {}, automatic = true) {
    this.server = createServer(options, (request, response) => {
      this.dispatched.push(request.url!);
      this.mostAtOnce = Math.max(this.mostAtOnce, this.pending.push({ request, response }));
      const body: Buffer[] = [];
      request.on('data', (chunk: Buffer) => body.push(chunk));
      if (automatic) request.on('end', () => this.finish(Buffer.concat(body).toString()));
    });
    dispatchOneAtATime(this.server);
    this.server.on('connection', (socket) => (this.latest = socket)).listen(0);
  }

  finish(body = ''): void {
    const { request, response } = this.pending.shift()!;
    response.end(`<${request.url}|${body}>`);
  }

  async client(): Promise<{ socket: Socket; read(): string }> {
    const socket = connect((this.server.address() as AddressInfo).port)
      .setEncoding('utf8')
      .setNoDelay();
    this.clients.push(socket);
    let text = '';
    socket.on('data', (chunk) => (text += chunk)).on('error', () => undefined);
    await once(socket, 'connect');
    return { socket, read: () => text };
  }

  async close(): Promise<void> {
    for (const socket of this.clients) socket.destroy();
    this.server.close().closeAllConnections();
    await once(this.server, 'close');
  }
}

let bench: Bench;
afterEach(() => bench.close());

const untilTrue = (condition: () => boolean) => until(String(condition), condition);

const bodiesIn = (text: string) => [...text.matchAll(/<([^>]*)>/g)].map(([, body]) => body);

test('the next request of a connection is dispatched when the response to the previous one has ended', async () => {
  bench = new Bench({}, false);
  const { socket, read } = await bench.client();
  socket.write(get('/1') + get('/2') + get('/3'));
  for (const count of [1, 2, 3]) {
    await untilTrue(() => bench.dispatched.length === count);
    await sleep(50);
    expect(bench.dispatched).toHaveLength(count);
    bench.finish();
  }
  await untilTrue(() => bodiesIn(read()).length === 3);
  expect(bodiesIn(read())).toEqual(['/1|', '/2|', '/3|']);
});

test('a request on another connection does not wait', async () => {
  bench = new Bench({}, false);
  for (const path of ['/1', '/2']) (await bench.client()).socket.write(get(path));
  await untilTrue(() => bench.dispatched.length === 2);
  expect(bench.mostAtOnce).toBe(2);
});

const chunked = (...chunks: string[]) =>
  `${FORM}Transfer-Encoding: chunked\r\n\r\n${chunks.map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`).join('')}`;
const LIKE_A_REQUEST = get('/not-a-request');
const BODIES: [string, string, string][] = [
  ['no body', get('/get'), '/get|'],
  ['a body with a Content-Length', `${FORM}Content-Length: 3\r\n\r\nabc`, '/post|abc'],
  [
    'a body with a Content-Length that looks like a request',
    `${FORM}Content-Length: ${LIKE_A_REQUEST.length}\r\n\r\n${LIKE_A_REQUEST}`,
    `/post|${LIKE_A_REQUEST}`,
  ],
  ['an empty body with a Content-Length', `${FORM}Content-Length: 0\r\n\r\n`, '/post|'],
  ['a chunked body', `${chunked('ab', 'c')}0\r\n\r\n`, '/post|abc'],
  [
    'a chunked body that looks like requests',
    `${chunked(LIKE_A_REQUEST, '\n\n\r\n', LIKE_A_REQUEST)}0\r\n\r\n`,
    `/post|${LIKE_A_REQUEST}\n\n\r\n${LIKE_A_REQUEST}`,
  ],
  ['an empty chunked body', `${chunked()}0\r\n\r\n`, '/post|'],
  ['trailers', `${chunked('a')}0\r\nX: 1\r\nY: 2\r\n\r\n`, '/post|a'],
  ['blank lines before it', `\r\n\r\n${get('/get')}`, '/get|'],
  ['an unsupported upgrade', get('/get', 'Connection: Upgrade\r\nUpgrade: websocket\r\n'), '/get|'],
  ['an upgrade and a body', `${FORM}Connection: Upgrade\r\nUpgrade: x\r\nContent-Length: 2\r\n\r\nab`, '/post|ab'],
];
test.each(BODIES)(
  'a request with %s is separated from the next one, for pieces of any size',
  async (_name, text, result) => {
    bench = new Bench();
    const both = text + text + get('/last');
    for (const size of [both.length, 1, 3, 7]) {
      const { socket, read } = await bench.client();
      for (let start = 0; start < both.length; start += size) {
        socket.write(both.slice(start, start + size));
        // Sends each piece in a separate packet.
        await sleep(0);
      }
      await untilTrue(() => read().includes('</last|>'));
      const expected = [result, result, '/last|'].map((body) => `<${body}>`).join('');
      expect(read().replaceAll(/HTTP\/1\.1 200 OK\r\n(.+\r\n)+\r\n/g, '')).toBe(expected);
    }
    expect(bench.mostAtOnce).toBe(1);
  },
);

test('waiting bytes start no timeout', async () => {
  bench = new Bench({ headersTimeout: 200, requestTimeout: 200, connectionsCheckingInterval: 20 }, false);
  const { socket, read } = await bench.client();
  socket.write(get('/1') + get('/2').slice(0, -2));
  await untilTrue(() => bench.dispatched.length === 1);
  await sleep(600);
  bench.finish();
  socket.write('\r\n');
  await untilTrue(() => bench.dispatched.length === 2);
  bench.finish();
  await untilTrue(() => bodiesIn(read()).length === 2);
  expect(read().match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200']);
});

test('a request that is sent too slowly still times out', async () => {
  bench = new Bench({ headersTimeout: 200, requestTimeout: 200, connectionsCheckingInterval: 20 });
  const { socket, read } = await bench.client();
  socket.write(get('/1') + get('/2').slice(0, -2));
  await untilTrue(() => read().includes(' 408 '));
  expect(bench.dispatched).toEqual(['/1']);
});

test('a client that sends far more than the server reads has to wait', async () => {
  bench = new Bench({}, false);
  const { socket } = await bench.client();
  socket.write(get('/1').repeat(300_000));
  await untilTrue(() => bench.dispatched.length === 1);
  await sleep(200);
  // The buffer of a socket and one pending read.
  expect(bench.latest.bytesRead).toBeLessThan(256 * 1024);
  expect(bench.dispatched).toHaveLength(1);
});

test('large consecutive responses on one connection are complete', async () => {
  bench = new Bench({}, false);
  const { socket, read } = await bench.client();
  const large = 'x'.repeat(3_000_000);
  socket.write(get('/1') + get('/2') + get('/3'));
  for (let count = 1; count <= 3; count++) {
    await untilTrue(() => bench.dispatched.length === count);
    bench.finish(large);
  }
  await untilTrue(() => bodiesIn(read()).length === 3);
  expect(bodiesIn(read()).map((body) => body!.length)).toEqual([3_000_003, 3_000_003, 3_000_003]);
});

test.each([
  ['the client has disconnected', (client: Socket) => client.resetAndDestroy()],
  ['the service has reset the connection', () => bench.latest.resetAndDestroy()],
  ['the response has closed the connection', () => bench.pending[0]!.response.setHeader('Connection', 'close').end()],
])('no further request is dispatched once %s', async (_name, end) => {
  bench = new Bench({}, false);
  const { socket } = await bench.client();
  socket.write(get('/1') + get('/2'));
  await untilTrue(() => bench.dispatched.length === 1);
  end(socket);
  await untilTrue(() => bench.latest.destroyed);
  await sleep(50);
  expect(bench.dispatched).toEqual(['/1']);
});
