import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { DATA } from './support/data-endpoints.js';
import { call, left, tokenCall, tokenIn } from './support/http-call.js';
import { ServiceProcess } from './support/service-process.js';
import { A, smallCatalogue } from './support/small-catalogue.js';
import { TestDatabase } from './support/test-service.js';
import { until } from './support/until.js';

const TYPES = ['text/csv', 'application/x-ndjson', 'application/json', 'text/html'];
/** More listeners on one emitter than Node accepts without a warning. */
const MANY = 24;
const LIMIT = 1_000_000;
/** Number of connections of a burst. */
const STRANGERS = 20;

let database: TestDatabase;
let service: ServiceProcess;
let url: string;
let managementUrl: string;
let token: string;
const sockets: Socket[] = [];
beforeAll(async () => {
  database = await TestDatabase.create();
  await database.load(smallCatalogue);
  const limits = { REQUESTS_PER_MINUTE: String(LIMIT), REQUESTS_PER_HOUR: String(LIMIT) };
  const settings = {
    DATABASE_URL: database.url,
    DEMO_DATA: 'false',
    LOG_REQUESTS: 'false',
    RESPONSE_CACHE_MEGABYTES: '0',
    ...limits,
  };
  service = ServiceProcess.start(settings, database.folder);
  ({ url, managementUrl } = await service.ready());
  token = tokenIn(await call(url, tokenCall(A, await database.cliOk('key', 'issue', A))));
});
afterEach(() => void sockets.splice(0).forEach((socket) => socket.destroy()));
afterAll(async () => {
  await service.stop();
  await database.drop();
});

/** Sends all requests at once. @returns the text received so far */
async function pipeline(to: string, text: string): Promise<() => string> {
  const socket = connect(Number(new URL(to).port), '127.0.0.1').setEncoding('utf8');
  sockets.push(socket);
  let received = '';
  socket.on('error', () => undefined).on('data', (part) => (received += part));
  await new Promise((resolve) => socket.write(text, resolve));
  return () => received;
}

/** Returns the number of anonymous requests so far. */
const counted = async () => LIMIT - left(await call(url));

const FORM = 'grant_type=client_credentials&client_id=SHOP-A&client_secret=wrong';
test.each([
  ['GET / without credentials', 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'],
  [
    'POST /auth/token with wrong credentials',
    `POST /auth/token HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: ${FORM.length}\r\n\r\n${FORM}`,
  ],
])('a burst of %s is dispatched gradually, between requests of a customer (decision 106)', async (_name, one) => {
  const perConnection = Math.ceil(60_000 / one.length);
  const before = await counted();
  await Promise.all(Array.from({ length: STRANGERS }, () => pipeline(url, one.repeat(perConnection))));
  for (const path of ['/api/version', ...DATA]) {
    const { status } = await call(url, { path, token });
    expect([path, status]).toEqual([path, 200]);
  }
  // Without the limit, all of them would have been dispatched before the requests of the customer.
  expect((await counted()) - before).toBeLessThan((STRANGERS * perConnection) / 2);
});

test('each pipelined request counts, in order (interface §8.2, decision 106)', async () => {
  const received = await pipeline(
    url,
    `GET /nothing HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`.repeat(20),
  );
  const counts = () => [...received().matchAll(/X-Rate-Limit-Remaining: (\d+)/g)].map(([, count]) => Number(count));
  await until('20 responses', () => counts().length === 20);
  expect(counts()).toEqual(Array.from({ length: 20 }, (_, index) => counts()[0]! - index));
});

test('a burst on the management port does not delay a probe (decision 106)', async () => {
  const pipelined = 2000;
  const received = await pipeline(managementUrl, 'GET /livez HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(pipelined));
  expect((await call(managementUrl, { path: '/livez' })).status).toBe(200);
  expect(received().split('HTTP/1.1 200').length).toBeLessThan(pipelined / 2);
});

test('many pipelined requests get their responses in order and without a warning', async () => {
  const sent = Array.from({ length: MANY }, (_, index) => [DATA[index % DATA.length]!, TYPES[index % 4]!] as const);
  const requests = sent.map(
    ([path, accept], index) =>
      `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nAccept: ${accept}\r\nX-Request-Id: R${index}\r\n` +
      `${index === MANY - 1 ? 'Connection: close\r\n' : ''}\r\n`,
  );
  const socket = connect(Number(new URL(url).port), '127.0.0.1').setEncoding('utf8');
  let received = '';
  socket.on('data', (text) => (received += text)).write(requests.join(''));
  await once(socket, 'end');
  const heads = [...received.matchAll(/HTTP\/1\.1 (\d+) .*\r\nX-Request-Id: (\w+)/g)];
  expect(heads.map(([, status, id]) => [id, status])).toEqual(
    sent.map(([, accept], index) => [`R${index}`, accept === 'text/html' ? '406' : '200']),
  );
  // Each chunked body ends with its last chunk.
  expect(received.match(/\r\n0\r\n\r\n/g)).toHaveLength((MANY * 3) / 4);
  expect(service.output).not.toMatch(/warning/i);
});
